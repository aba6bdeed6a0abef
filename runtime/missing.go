package runtime

import (
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/jsengine"
)

// What grants a name that is not there, as it stands in a document.
const (
	grantsNetwork = `a tool has the network only with "sandboxOverrides": {"networkMode": "allowlist", "hostsAllow": ["api.example.com"]}`
	grantsReading = `a tool reads files only with "sandboxOverrides": {"fileRead": true}`
	grantsWriting = `a tool writes files only with "sandboxOverrides": {"fileWrite": true}`
	grantsRemoval = `a tool moves and deletes files only with "sandboxOverrides": {"fileWrite": true, "destructive": true}`
)

// missing says why a global is not there. What is not granted is absent, so an
// author meets a ReferenceError that does not say it.
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

// whyMissing is what to add to the message of an error about a name that is not
// there; empty for every other.
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
