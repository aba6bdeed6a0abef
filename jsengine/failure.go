package jsengine

import (
	"strconv"
	"strings"
)

// Kind says why a call ended without a result. The list is closed and the texts
// are stable: they appear in records, and clients switch on them.
type Kind string

const (
	SyntaxError    Kind = "syntax_error"     // the body is not JavaScript, or tries to leave its wrapper
	CodeTooLarge   Kind = "code_too_large"   // the body exceeds MaxBody, or its compilation exceeds the budget of its size
	Exception      Kind = "exception"        // JavaScript threw and nobody caught it
	StatementLimit Kind = "statement_limit"  // Limits.Statements; cannot be caught
	FuelLimit      Kind = "fuel_limit"       // Limits.Fuel; cannot be caught
	Timeout        Kind = "timeout"          // Limits.Time; cannot be caught
	Cancelled      Kind = "cancelled"        // the caller's context ended; cannot be caught
	MemoryLimit    Kind = "memory_limit"     // Limits.Memory, and nobody caught the error
	StackLimit     Kind = "stack_limit"      // recursion too deep, and nobody caught the error
	OutputTooLarge Kind = "output_too_large" // Limits.Output
	NeverSettles   Kind = "never_settles"    // the result waits for something that can never happen
	Refused        Kind = "refused"          // a call that is not allowed: bad arguments, a host-call budget overdrawn
	HostFailure    Kind = "host_failure"     // a host call failed in a way the guest must not see
	Internal       Kind = "internal"         // a defect of ours
)

// Kinds are all kinds of failure.
var Kinds = [...]Kind{
	SyntaxError, CodeTooLarge, Exception, StatementLimit, FuelLimit, Timeout, Cancelled, MemoryLimit,
	StackLimit, OutputTooLarge, NeverSettles, Refused, HostFailure, Internal,
}

// Failure is the one way a call ends without a result. Everything but Cause may be
// shown to the caller.
type Failure struct {
	Kind    Kind
	Name    string // of the JavaScript error, such as TypeError; empty if it was none
	Message string
	Stack   string   // guest frames, one a line, innermost first; frames of the prelude are left out
	Refusal *Refusal // when a host call threw the exception
	// Told is the program's message for the model: that of a ToolError.
	Told string
	// Expression is the part of the program that an exception points at, such as
	// "response.headers.get"; "" if it is not a name.
	Expression string
	// Place is the position of a syntax error in the program; zero when it has none.
	Place Place
	Cause error // private: for logs, never for a guest or a model
}

// Refusal describes a host call that failed in a way the guest may see.
type Refusal struct {
	Kind    string `json:"kind"`
	Helper  string `json:"helper"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	// Line and Column are the position in a parsed text, from 1; 0 is unknown.
	Line   int `json:"line"`
	Column int `json:"column"`
}

func (f *Failure) Error() string {
	text := string(f.Kind)
	if f.Name != "" {
		text += ": " + f.Name
	}
	if f.Message != "" {
		text += ": " + f.Message
	}
	return text
}

func (f *Failure) Unwrap() error { return f.Cause }

// locate reduces the stack to the program: frames of the prelude and of the
// wrapper are removed, and columns in the body's first line count from its
// beginning.
func (f *Failure) locate(file string, prefix int) {
	lines := strings.Split(f.Stack, "\n")
	kept := lines[:0]
	for _, line := range lines {
		if strings.Contains(line, "(prelude/core.js:") && strings.Contains(line, " enter ") && len(kept) > 0 {
			kept = kept[:len(kept)-1] // the function around the body
			continue
		}
		if line = strings.TrimSpace(line); line == "" || strings.Contains(line, "(prelude/") {
			continue
		}
		kept = append(kept, firstColumn(line, file, prefix))
	}
	f.Stack = strings.Join(kept, "\n")
}

func firstColumn(line, file string, prefix int) string {
	before, column, found := strings.Cut(line, file+":1:")
	if !found {
		return line
	}
	digits := strings.TrimRight(column, ")")
	n, err := strconv.Atoi(digits)
	if err != nil || n < prefix {
		return line
	}
	// QuickJS counts columns from 0 in the first line and from 1 in all others.
	return before + file + ":1:" + strconv.Itoa(n-prefix+1) + column[len(digits):]
}
