package jsengine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/guest/prelude"
	"github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"
)

// An identifier by shape. QuickJS decides whether it is a reserved word.
var identifier = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`)

// compile puts the program into the image. The body runs inside an async function
// inside a function that binds the names, so a body may declare a variable of the
// same name. tool is the outer function.
func (i *instance) compile(p Program) (prefix int, tool jsvalue.Value, failure *Failure) {
	names := slices.Clone(p.Names)
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		if !identifier.MatchString(name) {
			return 0, 0, &Failure{Kind: SyntaxError, Name: "SyntaxError", Message: fmt.Sprintf("the name %q is not an identifier", name)}
		}
	}
	if !utf8.ValidString(p.Body) {
		return 0, 0, &Failure{Kind: SyntaxError, Name: "SyntaxError", Message: "the code is not UTF-8"}
	}
	// The body is compiled alone first. There, a body that closes its function and
	// opens another is not one function, and its text shows it. In the whole wrapper
	// it could be.
	const open = "async function () { "
	prefix = len("(" + open)
	if _, failure = i.compileFunction(open+p.Body+"\n}", p.File, prefix); failure != nil {
		return 0, 0, failure
	}
	outer := "function ({ " + strings.Join(names, ", ") + " }) { return ("
	prefix = len([]rune("(" + outer + open))
	tool, failure = i.compileFunction(outer+open+p.Body+"\n})(); }", p.File, prefix)
	if failure != nil {
		return 0, 0, failure
	}
	if result := i.call(i.realm.adopt, tool); i.trapped != nil || result.IsException() {
		return 0, 0, i.failureOf(result)
	}
	return prefix, tool, i.tellUse(p, prefix)
}

// tellUse tells the prelude how the program uses the results of body methods.
// Places are written as a stack shows them: the first line includes the wrapper's
// columns and counts them from 0.
func (i *instance) tellUse(p Program, prefix int) *Failure {
	use := prelude.UseOf(p.Body)
	var promised strings.Builder
	for _, at := range use.Promised {
		if at.Line == 1 {
			at.Column += prefix - 1
		}
		fmt.Fprintf(&promised, "\n(%s:%d:%d)\n", p.File, at.Line, at.Column)
	}
	chains := jsvalue.False
	if use.Chains {
		chains = jsvalue.True
	}
	return i.failureOf(i.call(i.realm.uses, i.newString([]byte(promised.String())), chains))
}

// compileFunction evaluates the text of a function. QuickJS accepts any text, so
// the resulting value is asked for its own: only exactly one function gives the
// same text back.
func (i *instance) compileFunction(text, file string, prefix int) (jsvalue.Value, *Failure) {
	function := i.eval("("+text+")", file)
	source := function
	if !function.IsException() {
		source = i.call(i.realm.source, function)
	}
	if failure := i.failureOf(source); failure != nil {
		switch failure.Kind {
		case StatementLimit: // making one function takes a dozen operations
			return 0, leavesWrapper()
		case Exception:
			failure.Kind = SyntaxError
		}
		failure.locate(file, prefix)
		if failure.Kind == SyntaxError {
			failure.placeIn(text[prefix-1:len(text)-len("\n}")], file)
		}
		return 0, failure
	}
	same, ok := i.appendText(nil, source, len(text))
	if !ok || string(same) != text {
		return 0, leavesWrapper()
	}
	return function, nil
}

func leavesWrapper() *Failure {
	return &Failure{Kind: SyntaxError, Name: "SyntaxError", Message: "the code closes the function it runs in"}
}
