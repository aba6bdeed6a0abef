package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/catalog/internal/source"
)

// maxProblems bounds the list for one document. A person reads far fewer; a
// hostile document could have millions.
const maxProblems = 1000

// Problem is one fault of a document: what it is, where it is, and what to do.
type Problem struct {
	Rule    string `json:"rule"`
	Code    Code   `json:"code"`
	Warning bool   `json:"warning,omitempty"`
	Pointer string `json:"pointer"` // RFC 6901, "" for the whole document
	Line    int    `json:"line"`    // from 1; 0 when the text is not at hand
	Column  int    `json:"column"`  // from 1, in characters
	Message string `json:"message"`

	offset int    // bytes from the start of the text
	within InCode // for a problem inside the code
}

// String is one line, whatever the document holds.
func (p Problem) String() string {
	kind := "error " + string(p.Code)
	if p.Warning {
		kind = "warning"
	}
	return fmt.Sprintf("%d:%d: %s: %s: %s [%s]", p.Line, p.Column, kind, p.place(), p.Message, p.Rule)
}

// place is the pointer as shown to people. Keys come from the document, so a key
// with line breaks or terminal commands is quoted.
func (p Problem) place() string {
	const most = 200 // bytes; the line and the column say where it is anyway
	at := p.Pointer
	if at == "" {
		return "document"
	}
	if len(at) > most {
		at = strings.ToValidUTF8(at[:most], "") + "…"
	}
	if strings.ContainsFunc(at, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(at)
	}
	return at
}

// Problems is a list in the order of the text.
type Problems []Problem

// Err returns an error that names every problem that is not a warning, or nil.
func (ps Problems) Err() error {
	var errs []error
	for _, p := range ps {
		if !p.Warning {
			errs = append(errs, errors.New(p.String()))
		}
	}
	return errors.Join(errs...)
}

// report collects problems about one text.
type report struct {
	text     []byte
	problems Problems
	full     bool // there are more than maxProblems
}

// add notes a problem at a byte offset.
func (r *report) add(rule ruleIndex, pointer string, offset int, format string, args ...any) {
	if len(r.problems) >= maxProblems {
		r.full = true
		return
	}
	row := rules[rule]
	r.problems = append(r.problems, Problem{
		Rule: row.ID, Code: row.Code, Warning: row.Warning,
		Pointer: pointer, Message: fmt.Sprintf(format, args...), offset: offset,
	})
}

// done returns the problems in text order with lines and columns.
func (r *report) done() Problems {
	if r.full {
		row := rules[ruleTooMany]
		r.problems = append(r.problems, Problem{
			Rule: row.ID, Code: row.Code, offset: len(r.text),
			Message: fmt.Sprintf("there are more than the %d problems listed; solve these and check again", maxProblems),
		})
	}
	fillPositions(r.text, r.problems)
	return r.problems
}

// fillPositions sorts by offset and turns offsets into lines and columns, in one
// pass over the text.
func fillPositions(text []byte, problems Problems) {
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Compare(a.offset, b.offset) })
	line, column, at := 1, 1, 0
	for i := range problems {
		for stop := min(problems[i].offset, len(text)); at < stop; {
			_, size := utf8.DecodeRune(text[at:])
			if text[at] == '\n' {
				line, column = line+1, 1
			} else {
				column++
			}
			at += size
		}
		problems[i].Line, problems[i].Column = line, column
	}
}

// NewProblem makes a problem of a rule for the value at pointer; [Spec.Locate]
// gives it a line and a column.
func NewProblem(rule Rule, pointer, message string) Problem {
	return Problem{Rule: rule.ID, Code: rule.Code, Warning: rule.Warning, Pointer: pointer, Message: message}
}

// Locate gives problems that only have a pointer their line and column in the
// document, and returns them in text order. For a spec out of a bundle both refer
// to the bundle. If the pointer names an absent value, the problem gets the
// position of the nearest value around it.
func (s *Spec) Locate(problems Problems) Problems {
	if len(problems) == 0 {
		return nil
	}
	placed := slices.Clone(problems)
	wanted := map[string][]int{}
	for i, p := range placed {
		for at := p.Pointer; ; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
			wanted[at] = append(wanted[at], i)
			if at == "" {
				break
			}
		}
	}
	// Values come outside in, so the last one that matches is the nearest.
	root, _ := source.Open(s.text)
	var walk func(v source.Value, pointer string)
	walk = func(v source.Value, pointer string) {
		indexes, ok := wanted[pointer]
		if !ok {
			return
		}
		for _, i := range indexes {
			placed[i].offset = v.Start()
			if pointer == placed[i].Pointer && placed[i].within.Line > 0 {
				placed[i].offset += offsetInString(v.Raw(), placed[i].within)
			}
		}
		for name, member := range v.Members() {
			key, _ := name.Text()
			walk(member, pointer+"/"+EscapePointer(key))
		}
		n := 0
		for item := range v.Items() {
			walk(item, fmt.Sprintf("%s/%d", pointer, n))
			n++
		}
	}
	walk(root, "")
	if s.within == nil {
		fillPositions(s.text, placed)
		return placed
	}
	for i := range placed {
		placed[i].Pointer = s.within.pointer + placed[i].Pointer
		placed[i].offset += s.within.offset
	}
	fillPositions(s.within.text, placed)
	return placed
}

// EscapePointer writes one step of a JSON pointer (RFC 6901, 3).
func EscapePointer(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// TooLargeToCompile is the problem of a spec whose code the engine does not
// compile; message gives the reason.
func (s *Spec) TooLargeToCompile(message string) Problems {
	return s.Locate(Problems{NewProblem(rules[ruleCodeTooLarge], "/code", message)})
}
