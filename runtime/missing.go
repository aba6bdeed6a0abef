package runtime

import (
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/jsengine"
)

// The grants that missing names need, as a document spells them.
const (
	grantsNetwork = `a tool has the network only with "sandboxOverrides": {"networkMode": "allowlist", "hostsAllow": ["api.example.com"]}`
	grantsReading = `a tool reads files only with "sandboxOverrides": {"fileRead": true}`
	grantsWriting = `a tool writes files only with "sandboxOverrides": {"fileWrite": true}`
	grantsRemoval = `a tool moves and deletes files only with "sandboxOverrides": {"fileWrite": true, "destructive": true}`
)

// missing explains why a global does not exist. Anything not granted is absent, so an
// author sees only a ReferenceError, which does not explain it.
var missing = map[string]string{
	"fetch":             grantsNetwork,
	"XMLHttpRequest":    "there is only fetch",
	"require":           "there are no modules; bundle what the tool needs into its code",
	"process":           "there is no Node; values from the environment come as static variables",
	"Buffer":            "there is no Node; use Uint8Array, TextEncoder, atob and btoa",
	"window":            "there is no page; use globalThis",
	"document":          "there is no page; safety.parser.html reads one",
	"ReadableStream":    "there are no streams; a body is read whole",
	"WritableStream":    "there are no streams; a body is read whole",
	"TransformStream":   "there are no streams; a body is read whole",
	"CompressionStream": "there are no streams, and nothing compresses",
	"Temporal":          "there is Date and Intl",
	"WebAssembly":       "a tool is JavaScript alone",
	"Worker":            "there are no threads",
}

var (
	fileWriters  = []string{"writeText", "appendText", "editText", "copy"}
	fileRemovers = []string{"move", "delete", "deleteDir"}
)

// whyMissing returns an addition to the message of an error about a missing name, and
// an empty string for every other error.
func whyMissing(f *jsengine.Failure) string {
	switch f.Name {
	case "ReferenceError":
		name, ok := strings.CutSuffix(f.Message, " is not defined")
		if !ok {
			return ""
		}
		return missing[name]
	case "TypeError":
		_, method, ok := strings.Cut(f.Expression, "safety.fs.")
		if !ok || !strings.HasSuffix(f.Message, "of undefined") && !strings.HasSuffix(f.Message, "is not a function") {
			return ""
		}
		switch {
		case slices.Contains(fileRemovers, method):
			return grantsRemoval
		case slices.Contains(fileWriters, method):
			return grantsWriting
		}
		return grantsReading
	}
	return ""
}
