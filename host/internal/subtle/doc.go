// Package subtle is crypto.subtle on Go's side: Web Crypto's algorithms over Go's
// own crypto packages. It invents nothing and implements no algorithm.
//
// Key material stays here. The guest holds a handle and what a CryptoKey shows;
// bytes come out only through an export of an extractable key. Keys go with the
// call.
//
// Read in this order: store.go (keys and their handles), algorithm.go (what a
// request names), then one file for each family.
package subtle

import (
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Helper is the name under which failures are reported.
const Helper = "crypto.subtle"

// Reasons of failures, as words that tools can branch on.
const (
	missingArgs          = "missing-args"
	unsupportedAlgorithm = "unsupported-algorithm"
	unsupportedFormat    = "unsupported-format"
	unsupportedHash      = "unsupported-hash"
	invalidKey           = "invalid-key"
	invalidAccess        = "invalid-access"    // a key that is not for this
	invalidParameter     = "invalid-parameter" // an IV, a salt, a length, a count
	operationFailed      = "operation-failed"  // does not decrypt, does not derive
	tooManyKeys          = "too-many-keys"
)

func invalid(reason, format string, args ...any) error {
	return hostcall.Errorf(hostcall.InvalidInput, Helper, reason, format, args...)
}

func failed(format string, args ...any) error {
	return hostcall.Errorf(hostcall.Runtime, Helper, operationFailed, format, args...)
}
