package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Gate says which postures a function is granted to, so that a tool which has it
// was scored for it. The zero Gate opens for none and is refused.
//
// A document does not name the functions it wants: a field of ours would lie outside
// its content hash, and a tool could ask for more under a hash that has passed its
// test and been approved.
type Gate uint8

const (
	_ Gate = iota
	// Everywhere is for functions that only compute: tools of level L0 have them.
	Everywhere
	// WithNetwork is for functions that reach another system: L3 and above.
	WithNetwork
	// WithFileRead is for functions that read what is not public: L3 and above.
	WithFileRead
	// WithFileWrite is for functions that change something: L4 and above.
	WithFileWrite
	// WithDestroy is for functions that take something away for good: L5.
	WithDestroy
)

var gates = map[Gate]struct {
	name string
	open func(plan) bool
}{
	Everywhere:    {"every posture", plan.always},
	WithNetwork:   {"networkMode", plan.fetches},
	WithFileRead:  {"fileRead", plan.reads},
	WithFileWrite: {"fileWrite", plan.writes},
	WithDestroy:   {"fileWrite and destructive", plan.destroys},
}

// Function is one of the embedding program's own host calls: a named capability that
// JavaScript calls with one JSON value.
type Function struct {
	// Name is what JavaScript calls, a word below a namespace of the program's own,
	// such as orders.find.
	Name string
	// Doc describes the function in a sentence or two, for authors of tools.
	Doc string
	// Gate says which postures grant it.
	Gate Gate
	// Arguments is the JSON Schema of its argument; {} when a tool gives none. Every
	// argument is checked before Call sees it, and the check is charged by the size of
	// the argument and of the schema. A schema whose references lead to one part in
	// several ways can cost more than that.
	Arguments json.RawMessage
	// Result is the JSON Schema of its answer; nil promises nothing.
	Result json.RawMessage
	// Waits is for functions that touch a disk or a network: they return a promise,
	// calls of them overlap, and their context ends with the call of the tool.
	Waits bool
	// Rate is what a call costs in fuel; see [budget.Structured]. It is charged by the
	// table. Call charges its account for what it does beyond one pass over argument
	// and answer, as Beyond says in a few words.
	Rate   budget.Rate
	Beyond string
	// Call runs the function, possibly from several goroutines. An [Error] is for the
	// tool to catch; any other error ends the tool's call, and its text goes into the
	// record alone. An error of the account is returned as it is.
	Call func(ctx context.Context, account *budget.Account, argument json.RawMessage) (any, error)
}

// FunctionOf completes a function with the schemas of two Go types, as encoding/json
// writes them, and a call that has them.
func FunctionOf[Argument, Answer any](f Function, call func(context.Context, *budget.Account, Argument) (Answer, error)) (Function, error) {
	for schema, of := range map[*json.RawMessage]func(*jsonschema.ForOptions) (*jsonschema.Schema, error){&f.Arguments: jsonschema.For[Argument], &f.Result: jsonschema.For[Answer]} {
		if *schema != nil {
			continue
		}
		inferred, err := of(nil)
		if err == nil {
			*schema, err = json.Marshal(inferred)
		}
		if err != nil {
			return f, fmt.Errorf("host: function %s: %w", f.Name, err)
		}
	}
	f.Call = func(ctx context.Context, account *budget.Account, argument json.RawMessage) (any, error) {
		var a Argument
		if err := json.Unmarshal(argument, &a); err != nil {
			return nil, hostcall.Errorf(hostcall.InvalidInput, f.Name, "invalid-argument", "%v", err)
		}
		return call(ctx, account, a)
	}
	return f, nil
}

// Functions are checked functions. They are immutable; nil has none.
type Functions struct{ list []function }

type function struct {
	Function
	argument, result *schema
}

// functionName is a namespace in lower camel case and a name in it.
var functionName = regexp.MustCompile(`^[a-z][A-Za-z0-9]{1,39}(?:\.[a-z][A-Za-z0-9]{0,39}){1,3}$`)

// language are words that no namespace can have: JavaScript reads them otherwise.
var language = strings.Fields(`arguments await break case catch class const continue debugger default delete do else enum escape eval
	export extends false finally for function global globalThis host if import in instanceof interface isFinite isNaN let new null
	package parseFloat parseInt private protected public return self static super switch this throw true try typeof undefined unescape
	var void while window with yield`)

// NewFunctions checks functions. All that is wrong is in the error.
func NewFunctions(functions ...Function) (*Functions, error) {
	var wrong []error
	all := &Functions{}
	for _, f := range functions {
		one, err := newFunction(f)
		if err == nil && slices.ContainsFunc(all.list, func(other function) bool {
			return other.Name == f.Name || strings.HasPrefix(other.Name, f.Name+".") || strings.HasPrefix(f.Name, other.Name+".")
		}) {
			err = errors.New("the name is taken by another function")
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("host: function %q: %w", f.Name, err))
			continue
		}
		all.list = append(all.list, one)
	}
	slices.SortFunc(all.list, func(a, b function) int { return strings.Compare(a.Name, b.Name) })
	return all, errors.Join(wrong...)
}

func newFunction(f Function) (function, error) {
	namespace, _, _ := strings.Cut(f.Name, ".")
	_, gated := gates[f.Gate]
	switch {
	case !functionName.MatchString(f.Name):
		return function{}, errors.New("a name is a namespace and a word in it, in lower camel case, such as orders.find")
	case slices.Contains(language, namespace):
		return function{}, fmt.Errorf("JavaScript reads %s otherwise", namespace)
	case slices.ContainsFunc(operations, func(op operation) bool { return strings.HasPrefix(op.name, namespace+".") }):
		return function{}, fmt.Errorf("%s is a namespace of this host's own", namespace)
	case f.Doc == "":
		return function{}, errors.New("it has no Doc")
	case !gated:
		return function{}, errors.New("it has no Gate: say which postures have it")
	case f.Rate.Call == 0 || f.Rate.In == 0 || f.Rate.Out == 0:
		return function{}, errors.New("it has no Rate: nothing that is done for a call is free; budget.Structured is right for most")
	case f.Call == nil:
		return function{}, errors.New("it has no Call")
	case f.Arguments == nil:
		return function{}, errors.New("it has no schema of its argument")
	}
	one := function{Function: f}
	var err error
	if one.argument, err = newSchema(f.Arguments); err != nil {
		return one, fmt.Errorf("schema of the argument: %w", err)
	}
	if f.Result != nil {
		if one.result, err = newSchema(f.Result); err != nil {
			return one, fmt.Errorf("schema of the result: %w", err)
		}
	}
	return one, nil
}

// All returns the functions, sorted by name.
func (fs *Functions) All() []Function {
	if fs == nil {
		return nil
	}
	all := make([]Function, len(fs.list))
	for i, f := range fs.list {
		all[i] = f.Function
	}
	return all
}

// Granted returns the functions that a posture grants, sorted by name.
func (fs *Functions) Granted(p catalog.Posture) []Function {
	pl, err := planOf(p)
	if err != nil {
		return nil
	}
	var granted []Function
	for _, f := range fs.granted(pl) {
		granted = append(granted, f.Function)
	}
	return granted
}

func (fs *Functions) granted(pl plan) []function {
	if fs == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(fs.list), func(f function) bool { return !gates[f.Gate].open(pl) })
}

// handle is the row's handler.
func (f function) handle(ctx context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	if err := f.argument.check(account, text); err != nil {
		if exhausted := account.Err(); exhausted != nil {
			return nil, nil, exhausted
		}
		return nil, nil, hostcall.Errorf(hostcall.InvalidInput, f.Name, "invalid-argument", "%.300s", err.Error())
	}
	answer, err := f.Call(ctx, account, slices.Clone(text))
	var refusal *Error
	switch {
	case errors.As(err, &refusal):
		named := *refusal
		if named.Helper == "" {
			named.Helper = f.Name
		}
		return nil, nil, &named
	case err != nil:
		return nil, nil, fmt.Errorf("function %s: %w", f.Name, err)
	}
	out := budget.NewBuilder(account)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false) // the guest reads it with JSON.parse, not as HTML
	if err := encoder.Encode(answer); err != nil {
		return nil, nil, fmt.Errorf("function %s: answer: %w", f.Name, err)
	}
	reply, err := out.Bytes()
	if err == nil && f.result != nil {
		if err = f.result.check(account, reply); err != nil {
			err = fmt.Errorf("function %s: its answer is not what its schema says: %w", f.Name, err)
		}
	}
	return reply, nil, err
}

// Markdown documents the functions for those who write tools.
func (fs *Functions) Markdown() string {
	var out strings.Builder
	if fs == nil {
		return ""
	}
	for _, f := range fs.list {
		form := "returns its answer"
		if f.Waits {
			form = "returns a promise; calls overlap"
		}
		fmt.Fprintf(&out, "### %s\n\n%s\n\nGranted with %s; %s. Costs %d units of fuel, %d for each byte of the argument and %d of the answer, and the check of both", f.Name, f.Doc, gates[f.Gate].name, form, f.Rate.Call, f.Rate.In, f.Rate.Out)
		if f.Beyond != "" {
			fmt.Fprintf(&out, ", and further for %s", f.Beyond)
		}
		fmt.Fprintf(&out, ".\n\nArgument:\n\n```json\n%s\n```\n", f.Arguments)
		if f.Result != nil {
			fmt.Fprintf(&out, "\nAnswer:\n\n```json\n%s\n```\n", f.Result)
		}
		out.WriteString("\n")
	}
	return out.String()
}
