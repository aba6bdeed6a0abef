package jsengine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/guest"
	"github.com/glovebox-run/glovebox/guest/prelude"
)

// Program is a tool's code.
type Program struct {
	File       string   // its name in stack traces
	Body       string   // the body of an async function: return and await are legal
	Names      []string // identifiers that are bound for the body; undefined when a call does not supply them
	Operations []string // names of the host calls that its table holds; decides which globals exist
}

// Image is booted memory with a program in it: immutable, shared by all calls.
type Image struct {
	engine *Engine
	pages  *pages
	realm  realm
	file   string
	prefix int                     // characters of the wrapper before the first line of the body
	later  map[string]prelude.File // files that wait until they are used
}

// realm is what the boot left in guest memory: at the same place in every
// instance of an image.
type realm struct {
	runtime, context uint64
	cell             uint32 // eight bytes to receive a result in
	argumentsName    uint32 // "arguments", the file name that JSON errors carry
	timeOrigin       uint32 // of the property performance.timeOrigin
	stackPointer     uint64
	layout           layout

	host, primordials                                             value // what prelude files receive
	source, adopt, enter, later, arrived, deliver, tick, describe value // entry points of core.js
}

// Budgets of what runs before there is a call. Generous: exceeding one is a bug
// of the prelude, or for compiling a body of some ten megabytes.
const (
	bootStatements    = 1_000_000
	bootFuel          = 10_000_000_000
	compileStatements = 100
	compileFuel       = 2_000_000_000
	buildTime         = 20 * time.Second
)

// The heap is grown once, before the image is taken: an instance that has grown
// cannot shrink again and is thrown away, so growing must be the exception.
const spareHeap = 4 << 20

// gcThreshold is how large the heap must be before the guest looks for cycles; at
// QuickJS's own 256 KiB it does so in nearly every call, which takes 40 us.
const gcThreshold = 1 << 20

// stackMargin is left below QuickJS's own stack check for C functions that do
// not check; the deepest use seen is 5 KiB.
const stackMargin = 32 << 10

// bootTime is what the clock shows while an image is built, so that images are
// the same everywhere. It must be a time in milliseconds that is found nowhere
// else in memory.
var bootTime = time.UnixMilli(1_000_000_212_577)

// boot makes the base image: QuickJS started, the ground of the prelude evaluated
// and stand-ins for what every program has besides.
func (e *Engine) boot() (*Image, error) {
	i, err := e.machine.newInstance(nil, guest.StackHigh&^(wasmPage-1)+2*wasmPage, DefaultLimits.Memory)
	if err != nil {
		return nil, err
	}
	defer i.close()
	ground := slices.DeleteFunc(slices.Clone(e.prelude), func(f prelude.File) bool { return !f.Ground() })
	if err := i.boot(ground); err != nil {
		return nil, fmt.Errorf("jsengine: boot: %w", err)
	}
	base := &Image{engine: e}
	if base.later, err = i.wait(nil, prelude.Waiting(prelude.Granted(e.prelude, e.operations))); err != nil {
		return nil, fmt.Errorf("jsengine: boot: %w", err)
	}
	base.record(i, nil)
	// Where the system has no such files, every instance has all of its pages.
	base.pages.shared, _ = share(base.pages)
	return base, nil
}

func (i *instance) boot(files []prelude.File) error {
	i.memory.limit = DefaultLimits.Memory
	i.build(bootStatements, bootFuel)
	i.invoke(fnInitialize)
	i.invoke(fnFree, i.invoke(fnMalloc, spareHeap))
	r := &i.realm
	r.runtime = i.invoke(fnNewRuntime)
	r.context = i.invoke(fnNewContext, r.runtime)
	if i.trapped != nil || r.context == 0 {
		return errors.Join(errors.New("no context"), i.trapped)
	}
	r.stackPointer = i.stackPointer.Get()
	r.cell = uint32(i.invoke(fnMalloc, 8))
	r.argumentsName = i.newCString("arguments")
	binary.LittleEndian.PutUint32(i.bytes(uint32(r.runtime)+guest.StackLimitOffset, 4), guest.StackLow+stackMargin)
	if err := i.findTimeOrigin(); err != nil {
		return err
	}
	if err := i.learnLayout(); err != nil {
		return err
	}
	return i.evaluatePrelude(files)
}

// build readies an instance for work that is not a call: no clock, no host.
func (i *instance) build(statements, fuel uint64) {
	i.run = execution{ctx: context.Background()}
	i.startMeter(statements, fuel, time.Now().Add(buildTime))
}

// findTimeOrigin finds the copy of the time origin that the property
// performance.timeOrigin holds. Both must be set for each call.
func (i *instance) findTimeOrigin() error {
	memory := i.memory.space[:i.memory.size]
	bits := binary.LittleEndian.Uint64(memory[uint32(i.realm.context)+guest.TimeOriginOffset:])
	if origin := math.Float64frombits(bits); math.Abs(origin-float64(bootTime.UnixMilli())) > 1 {
		return fmt.Errorf("the time origin is %v, want %v", origin, bootTime.UnixMilli())
	}
	found := 0
	for at := uint32(0); uint64(at) < i.memory.size; at += 8 {
		if binary.LittleEndian.Uint64(memory[at:]) == bits-floatAddend {
			i.realm.timeOrigin = at
			found++
		}
	}
	if found != 1 {
		return fmt.Errorf("performance.timeOrigin was found %d times", found)
	}
	return nil
}

// evaluatePrelude evaluates files in the realm.
func (i *instance) evaluatePrelude(files []prelude.File) error {
	for _, file := range files {
		parameters, arguments := prelude.Parameters, []value{i.realm.host, i.realm.primordials}
		if file.Name == prelude.Core {
			raw := i.newCString("raw")
			parameters = "(function (raw) {"
			arguments = []value{value(i.invoke(fnNewCFunction, i.realm.context, guest.HostCallElement, uint64(raw), 0, 0, 0))}
		}
		function := i.eval(parameters+file.Source+prelude.End, "prelude/"+file.Name)
		result := i.call(function, arguments...)
		if failure := i.failureOf(result); failure != nil {
			return failure
		}
		if file.Name == prelude.Core {
			i.adoptCore(result)
		}
	}
	if i.trapped != nil {
		return i.stoppedBy()
	}
	return nil
}

func (i *instance) adoptCore(core value) {
	r := &i.realm
	for name, entry := range map[string]*value{
		"host": &r.host, "primordials": &r.primordials, "source": &r.source, "adopt": &r.adopt, "enter": &r.enter, "later": &r.later, "arrived": &r.arrived, "deliver": &r.deliver, "tick": &r.tick, "describe": &r.describe,
	} {
		if l, ok := i.lend([]byte(name)); ok {
			*entry = value(i.invoke(fnGetProperty, i.realm.context, uint64(core), uint64(l.at)))
			i.giveBack(l)
		}
	}
}

// newCString puts a text into guest memory for good.
func (i *instance) newCString(text string) uint32 {
	at := uint32(i.invoke(fnMalloc, uint64(len(text)+1)))
	if b := i.bytes(at, uint32(len(text)+1)); b != nil {
		b[copy(b, text)] = 0
	}
	return at
}

// Image compiles a program. An error that the program is to blame for is a
// *Failure.
func (e *Engine) Image(ctx context.Context, p Program) (*Image, error) {
	i, err := e.pool.take(e.base)
	if err != nil {
		return nil, err
	}
	defer i.close()
	i.memory.limit = DefaultLimits.Memory
	i.build(bootStatements, bootFuel)
	operations := append(slices.Clone(p.Operations), e.operations...)
	later, err := i.furnish(prelude.Granted(e.prelude, operations), p.Body, e.base.later)
	if err != nil {
		return nil, fmt.Errorf("jsengine: prelude: %w", err)
	}
	i.build(compileStatements, compileFuel)
	i.run.ctx = ctx
	prefix, failure := i.compile(p)
	if failure != nil {
		return nil, failure
	}
	image := &Image{engine: e, file: p.File, prefix: prefix, later: later}
	image.record(i, e.base)
	return image, nil
}

// record takes an instance's memory as the image's.
func (image *Image) record(i *instance, base *Image) {
	i.invoke(fnRunGC, i.realm.runtime)
	i.invoke(fnSetGCThreshold, i.realm.runtime, gcThreshold)
	empty := i.wipe()
	image.realm = i.realm
	var basePages *pages
	if base != nil {
		basePages = base.pages
	}
	image.pages = takePages(i.memory.space[:i.memory.size], basePages, empty)
	image.pages.plan(int(i.realm.stackPointer))
}

// wipe clears what earlier work has left on the stack and in the free part of
// the heap, so that the image holds nothing but what is alive. It returns pages
// that are empty for certain.
func (i *instance) wipe() (empty span) {
	clear(i.memory.space[guest.StackLow:i.realm.stackPointer])
	// The heap must not grow for this: what is refused is asked for again, smaller.
	i.memory.limit = i.memory.size
	at, most := 0, spareHeap
	for at == 0 && most > spareHeap/8 {
		most -= spareHeap / 16
		at = int(uint32(i.invoke(fnMalloc, uint64(most))))
	}
	if at == 0 || i.trapped != nil {
		return span{}
	}
	empty = span{(at + osPage - 1) &^ (osPage - 1), (at + most) &^ (osPage - 1)}
	clear(i.memory.space[at:empty.from])
	dropPages(i.memory.space[empty.from:empty.to])
	clear(i.memory.space[empty.to : at+most])
	i.invoke(fnFree, uint64(at))
	// free has written two links into the first bytes, and perhaps a size at the end.
	return span{empty.from + osPage, empty.to}
}

// An identifier by shape. Whether it is a reserved word, QuickJS knows.
var identifier = regexp.MustCompile(`^[\p{L}_$][\p{L}\p{N}_$]*$`)

var syntaxColumn = regexp.MustCompile(`(?m)(:\d+):\d+$`)

// compile puts the program into the image. The body runs inside an async
// function inside a function that binds the names, so a body may declare a name
// of its own that is the same.
func (i *instance) compile(p Program) (prefix int, failure *Failure) {
	names := slices.Clone(p.Names)
	slices.Sort(names)
	names = slices.Compact(names)
	for _, name := range names {
		if !identifier.MatchString(name) {
			return 0, &Failure{Kind: SyntaxError, Name: "SyntaxError", Message: fmt.Sprintf("the name %q is not an identifier", name)}
		}
	}
	if !utf8.ValidString(p.Body) {
		return 0, &Failure{Kind: SyntaxError, Name: "SyntaxError", Message: "the code is not UTF-8"}
	}
	// Alone first: there, a body that closes its function and opens another is not
	// one function, and its text shows it. In the whole wrapper it could be.
	const open = "async function () { "
	prefix = len("(" + open)
	if _, failure = i.compileFunction(open+p.Body+"\n}", p.File, prefix); failure != nil {
		return 0, failure
	}
	outer := "function ({ " + strings.Join(names, ", ") + " }) { return ("
	prefix = len([]rune("(" + outer + open))
	tool, failure := i.compileFunction(outer+open+p.Body+"\n})(); }", p.File, prefix)
	if failure != nil {
		return 0, failure
	}
	if result := i.call(i.realm.adopt, tool); i.trapped != nil || result.isException() {
		return 0, i.failureOf(result)
	}
	return prefix, nil
}

// compileFunction evaluates the text of a function. QuickJS takes what it is
// given, so what came of it is asked for its own text: anything but that one
// function has another.
func (i *instance) compileFunction(text, file string, prefix int) (value, *Failure) {
	function := i.eval("("+text+")", file)
	source := function
	if !function.isException() {
		source = i.call(i.realm.source, function)
	}
	if failure := i.failureOf(source); failure != nil {
		switch failure.Kind {
		case StatementLimit: // making one function takes a dozen operations
			return 0, leavesWrapper()
		case Exception:
			failure.Kind = SyntaxError
			// QuickJS gives syntax errors a column that is not theirs.
			failure.Stack = syntaxColumn.ReplaceAllString(failure.Stack, "$1")
		}
		failure.locate(file, prefix)
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
