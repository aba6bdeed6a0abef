// Package text is what tools have of encodings on Go's side: TextEncoder,
// TextDecoder with every label that browsers know, and strict base64.
//
//	base64.go   btoa and atob
//	encode.go   strings to UTF-8
//	decode.go   bytes of any encoding to strings, whole or in pieces
package text

import "github.com/glovebox-run/glovebox/host/internal/hostcall"

// Names under which failures are reported.
const (
	helperAtob    = "atob"
	helperBtoa    = "btoa"
	helperDecoder = "TextDecoder"
	helperEncoder = "TextEncoder"
)

func invalid(helper, reason, format string, args ...any) error {
	return hostcall.Errorf(hostcall.InvalidInput, helper, reason, format, args...)
}
