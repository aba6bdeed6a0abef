// Package parse is safety.parser on Go's side: CSV, XML and YAML become JSON,
// HTML becomes a document that stays here and is worked on through handles.
//
// Every tool may call it, so every input is hostile: sizes, depths and what an
// alias or a selector expands to are bounded, no document reaches a file or the
// network, and no tag builds anything but plain data.
package parse

import (
	"context"
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

const (
	// maxInput is the largest text in bytes: more than the largest response.
	maxInput = 16 << 20
	// maxDepth is how deep elements, collections and nodes may nest. The guest
	// reads the result with JSON.parse, whose recursion holds more.
	maxDepth = 512
)

// Names under which failures are reported.
const (
	helperCSV  = "safety.parser.csv"
	helperXML  = "safety.parser.xml"
	helperYAML = "safety.parser.yaml"
)

// HelperHTML is the same for everything that is done with a page.
const HelperHTML = "safety.parser.html"

// checkInput refuses a text that no parser should see.
func checkInput(helper string, text []byte) error {
	switch {
	case len(text) == 0:
		return hostcall.Errorf(hostcall.InvalidInput, helper, "missing-input", "there is nothing to parse")
	case len(text) > maxInput:
		return hostcall.Errorf(hostcall.InvalidInput, helper, "input-too-large", "%d bytes; at most %d are parsed", len(text), maxInput)
	case !utf8.Valid(text):
		return hostcall.Errorf(hostcall.InvalidInput, helper, "invalid-utf8", "the text is not UTF-8")
	}
	return nil
}

// malformed is the failure for a text that is not what it should be, with its
// place. Lines and columns count from 1.
func malformed(helper string, line, column int, format string, args ...any) error {
	e := hostcall.Errorf(hostcall.Runtime, helper, "parse-failed", format, args...)
	e.Line, e.Column = line, column
	return e
}

// textTo makes a handler of a parser that writes JSON.
func textTo(helper string, parse func(account *budget.Account, text []byte) ([]byte, error)) hostcall.Handler {
	return func(_ context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
		if err := checkInput(helper, text); err != nil {
			return nil, nil, err
		}
		reply, err := parse(account, text)
		return reply, nil, err
	}
}

// admission reads a text for a parser of a library, which cannot be stopped while
// it works on what it has read: for each piece it charges for the work and holds
// the memory that the library may need for it. weigh returns how many places of
// the piece can become an object of the library.
type admission struct {
	account *budget.Account
	text    []byte
	at      int
	weigh   func(piece []byte) int

	perByte, perPlace uint64 // fuel
	bytesPerPlace     int    // memory
}

// pieceSize is how much a parser gets to read at a time: at most a millisecond of
// work for the costliest of texts.
const pieceSize = 1 << 10

func (a *admission) Read(p []byte) (int, error) {
	if a.at == len(a.text) {
		return 0, io.EOF
	}
	piece := a.text[a.at:min(len(a.text), a.at+pieceSize, a.at+len(p))]
	places := a.weigh(piece)
	if err := a.account.Charge(uint64(len(piece))*a.perByte + uint64(places)*a.perPlace); err != nil {
		return 0, err
	}
	if err := a.account.Hold(places * a.bytesPerPlace); err != nil {
		return 0, err
	}
	a.at += len(piece)
	return copy(p, piece), nil
}

// count returns how many bytes of a text are in a set.
func count(text []byte, set *[256]bool) int {
	n := 0
	for _, c := range text {
		if set[c] {
			n++
		}
	}
	return n
}

// XML serves parser.xml: text is the document.
var XML = textTo(helperXML, parseXML)

// YAML serves parser.yaml: text is the document.
var YAML = textTo(helperYAML, parseYAML)

// appendString writes a JSON string. Text that is no UTF-8 cannot get here.
func appendString(dst []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string is always JSON
	}
	return append(dst, text...)
}
