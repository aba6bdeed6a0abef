package egress

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"
)

// referenceLength is short enough to be read out over a telephone.
const referenceLength = 8

// Reference shortens the id of an audit record to eight letters and digits. It
// tells nothing about the id.
func Reference(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base32.StdEncoding.EncodeToString(sum[:])[:referenceLength]
}

// PublicFailure is all that a model learns about a failure that is not one of the
// protocol's own: which tool failed, and the reference under which the operator
// finds the cause. Exception messages, stack traces, paths and driver messages stay
// in the record.
func PublicFailure(tool, reference string) string {
	return fmt.Sprintf("The tool %q failed (reference %s). The operator can look the cause up under the reference.", tool, reference)
}
