package jsengine

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/guest"
	"github.com/glovebox-run/glovebox/guest/prelude"
	"github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"
	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// Program is a tool's code.
type Program struct {
	File       string   // its name in stack traces
	Body       string   // the body of an async function: return and await are legal
	Names      []string // identifiers that are bound for the body; undefined when a call does not supply them
	Operations []string // names of the host calls that its table holds; decides which globals exist
	Functions  []Function
}

// Function is a host call of the embedding program, which the body calls by its
// dotted name. It is installed if Operations has the name.
type Function struct {
	Name  string
	Waits bool // it returns a promise, and calls overlap
}

// Functions returns an error if the prelude already uses a function's name.
func (e *Engine) Functions(functions []Function) error {
	for _, f := range functions {
		namespace, _, _ := strings.Cut(f.Name, ".")
		if err := prelude.Free(e.prelude, namespace); err != nil {
			return fmt.Errorf("jsengine: function %s: %w", f.Name, err)
		}
	}
	return nil
}

// Image is booted memory with a program in it: immutable, shared by all calls.
type Image struct {
	engine *Engine
	pages  *linear.Image
	realm  realm
	file   string
	body   string                  // of the program; errors quote it
	prefix int                     // characters of the wrapper before the first line of the body
	later  map[string]prelude.File // files that wait until they are used
	tool   uint32                  // address of the program's function; 0 for the base image
	loops  *loops                  // compiled; nil for most
	heat   heat
}

// realm is what the boot left in guest memory, at the same addresses in every
// instance of an image.
type realm struct {
	runtime, context uint64
	cell             uint32 // eight bytes that receive a result
	argumentsName    uint32 // "arguments", the file name that JSON errors carry
	timeOrigin       uint32 // of the property performance.timeOrigin
	stackPointer     uint64
	layout           jsvalue.Layout
	promiseClass     uint16

	host, primordials                                                          jsvalue.Value // what prelude files receive
	source, adopt, uses, enter, later, arrived, deliver, tick, describe, where jsvalue.Value // entry points of core.js
}

// Budgets of code that runs before any call. Exceeding the first two is a bug in
// the prelude.
const (
	bootStatements    = 1_000_000
	bootFuel          = 10_000_000_000
	compileStatements = 100
	buildTime         = 20 * time.Second
)

// MaxBody is the size in bytes of the largest body that is compiled.
const MaxBody = 2 << 20

// FreelyCompiled is a size in bytes: no body up to that size can exceed its
// compilation budget.
const FreelyCompiled = 16 << 10

// The compilation budget in fuel: a base and a rate per byte. QuickJS takes 1,500
// to 6,500 units a byte for most code, for both compilations of compile. Some
// declarations take more: it finds a let, const, class or private name by walking
// its scope's list, so 64 KiB of nothing but let take 17,000 units a byte and 512
// KiB would take 130,000, some 10 s.
const (
	compileFuel        = 2_000_000_000
	compileFuelPerByte = 8_000
)

// bootSize is the module's own memory: up to the end of the stack and a first
// page or two of heap.
const bootSize = guest.StackHigh&^(linear.WasmPage-1) + 2*linear.WasmPage

// The heap is grown once, before the image is taken: a grown instance cannot
// shrink again and is thrown away, so growing must be the exception.
const spareHeap = 4 << 20

// gcThreshold is the heap size from which the guest looks for cycles; at QuickJS's
// own 256 KiB it does so in nearly every call, which takes 40 us.
const gcThreshold = 1 << 20

// stackMargin is left below QuickJS's own stack check for C functions that do
// not check; the deepest use seen is 5 KiB.
const stackMargin = 32 << 10

// bootTime is the clock's time while an image is built, so that images are the
// same everywhere. It must be a time in milliseconds that occurs nowhere else in
// memory.
var bootTime = time.UnixMilli(1_000_000_212_577)

// boot makes the base image: QuickJS started, the prelude's ground evaluated and
// stand-ins for everything else that every program has.
func (e *Engine) boot() (*Image, error) {
	i, err := e.machine.newInstance(nil, bootSize, DefaultLimits.Memory)
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
	base.pages.Share()
	return base, nil
}

func (i *instance) boot(files []prelude.File) error {
	i.memory.Limit(DefaultLimits.Memory)
	i.build(bootStatements, bootFuel)
	i.invoke(fnInitialize)
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
	i.invoke(fnFree, i.invoke(fnMalloc, spareHeap))
	if err := i.learnLayout(); err != nil {
		return err
	}
	if err := i.evaluatePrelude(files); err != nil {
		return err
	}
	if failure := i.failureOf(i.eval(settled, "boot")); failure != nil {
		return failure
	}
	return nil
}

// settled has QuickJS do once what it otherwise does in each call. It makes a built-in
// function when somebody looks at its property for the first time; and it keeps shapes of
// objects in a table that it doubles when that is full, which writes to each shape there is:
// a few hundred more make it large enough for nearly all calls.
const settled = `
for (const name of ['Object', 'Function', 'Array', 'String', 'Number', 'Boolean', 'Symbol', 'Error', 'Promise', 'RegExp', 'Date', 'Map', 'Set', 'Math', 'JSON', 'Uint8Array'])
	for (const of of [globalThis[name], globalThis[name].prototype])
		if (of) Object.getOwnPropertyDescriptors(of);
for (let n = 0; n < 800; n++) ({ ['shape' + n]: n });
`

// build prepares an instance for work outside a call: no clock, no host.
func (i *instance) build(statements, fuel uint64) {
	i.run = execution{ctx: context.Background()}
	i.startMeter(statements, fuel, time.Now().Add(buildTime))
}

// learnLayout makes plain results readable, and checks that they are.
func (i *instance) learnLayout() (err error) {
	l, ok := i.lend([]byte(jsvalue.Sample))
	if !ok {
		return errors.New("no memory for a sample")
	}
	defer i.giveBack(l)
	sample := jsvalue.Value(i.invoke(fnParseJSON, i.realm.context, uint64(l.at), uint64(len(jsvalue.Sample)), uint64(i.realm.argumentsName)))
	from := uint32(i.realm.runtime)
	i.realm.layout, err = jsvalue.Learn(i.memory.Bytes(), sample, from, from+guest.StackLimitOffset)
	i.invoke(fnFreeValue, i.realm.context, uint64(sample))
	promise := i.eval("Promise.resolve()", "boot")
	class, ok := jsvalue.ClassOf(i.memory.Bytes(), promise)
	if !ok {
		return errors.Join(err, errors.New("no promise can be made"))
	}
	i.realm.promiseClass = class
	i.invoke(fnFreeValue, i.realm.context, uint64(promise))
	return err
}

// findTimeOrigin finds the copy of the time origin in the property
// performance.timeOrigin. Both must be set for each call.
func (i *instance) findTimeOrigin() error {
	memory := i.memory.Bytes()
	bits := binary.LittleEndian.Uint64(memory[uint32(i.realm.context)+guest.TimeOriginOffset:])
	if origin := math.Float64frombits(bits); math.Abs(origin-float64(bootTime.UnixMilli())) > 1 {
		return fmt.Errorf("the time origin is %v, want %v", origin, bootTime.UnixMilli())
	}
	boxed := binary.LittleEndian.AppendUint64(nil, uint64(jsvalue.Float(math.Float64frombits(bits))))
	at := bytes.Index(memory, boxed)
	if at < 0 || bytes.Contains(memory[at+1:], boxed) {
		return errors.New("performance.timeOrigin is nowhere, or in several places")
	}
	i.realm.timeOrigin = uint32(at)
	return nil
}

// evaluatePrelude evaluates files in the realm.
func (i *instance) evaluatePrelude(files []prelude.File) error {
	for _, file := range files {
		parameters, arguments := prelude.Parameters, []jsvalue.Value{i.realm.host, i.realm.primordials}
		if file.Name == prelude.Core {
			raw := i.newCString("raw")
			parameters = "(function (raw) {"
			arguments = []jsvalue.Value{jsvalue.Value(i.invoke(fnNewCFunction, i.realm.context, guest.HostCallElement, uint64(raw), 0, 0, 0))}
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

func (i *instance) adoptCore(core jsvalue.Value) {
	r := &i.realm
	for name, entry := range map[string]*jsvalue.Value{
		"host": &r.host, "primordials": &r.primordials, "source": &r.source, "adopt": &r.adopt, "uses": &r.uses, "enter": &r.enter, "later": &r.later, "arrived": &r.arrived, "deliver": &r.deliver, "tick": &r.tick, "describe": &r.describe, "where": &r.where,
	} {
		if l, ok := i.lend([]byte(name)); ok {
			*entry = jsvalue.Value(i.invoke(fnGetProperty, i.realm.context, uint64(core), uint64(l.at)))
			i.giveBack(l)
		}
	}
}

// newCString puts a text into guest memory permanently.
func (i *instance) newCString(text string) uint32 {
	at := uint32(i.invoke(fnMalloc, uint64(len(text)+1)))
	if b := i.bytes(at, uint32(len(text)+1)); b != nil {
		b[copy(b, text)] = 0
	}
	return at
}

// Image compiles a program. An error caused by the program is a *Failure.
func (e *Engine) Image(ctx context.Context, p Program) (*Image, error) {
	if len(p.Body) > MaxBody {
		return nil, &Failure{Kind: CodeTooLarge, Message: fmt.Sprintf("the code has %d bytes; at most %d are compiled", len(p.Body), MaxBody)}
	}
	i, err := e.pool.take(e.base)
	if err != nil {
		return nil, err
	}
	defer i.close()
	i.memory.Limit(DefaultLimits.Memory)
	i.build(bootStatements, bootFuel)
	operations := append(slices.Clone(p.Operations), e.operations...)
	files := prelude.Granted(e.prelude, operations)
	for _, f := range p.Functions {
		files = append(files, prelude.Granted([]prelude.File{prelude.Function(f.Name, f.Waits)}, operations)...)
	}
	later, err := i.furnish(files, p.Body, e.base.later)
	if err != nil {
		return nil, fmt.Errorf("jsengine: prelude: %w", err)
	}
	fuel := compileFuel + compileFuelPerByte*uint64(len(p.Body))
	i.build(compileStatements, fuel)
	i.run.ctx = ctx
	prefix, tool, failure := i.compile(p)
	if failure != nil {
		switch failure.Kind {
		case FuelLimit:
			return nil, &Failure{Kind: CodeTooLarge, Message: fmt.Sprintf(
				"compiling the code takes more than the %d units of fuel that its %d bytes are allowed; declare fewer names in one function or class, and nest fewer expressions", fuel, len(p.Body))}
		case MemoryLimit:
			return nil, &Failure{Kind: CodeTooLarge, Message: fmt.Sprintf("compiling the code takes more than %d bytes of memory", DefaultLimits.Memory)}
		}
		return nil, failure
	}
	image := &Image{engine: e, file: p.File, body: p.Body, prefix: prefix, later: later, tool: uint32(tool)}
	image.record(i, e.base)
	return image, nil
}

// record takes an instance's memory as the image's.
func (image *Image) record(i *instance, base *Image) {
	i.invoke(fnRunGC, i.realm.runtime)
	i.invoke(fnSetGCThreshold, i.realm.runtime, gcThreshold)
	i.fillHoles()
	empty := i.wipe()
	image.realm = i.realm
	var basePages *linear.Image
	if base != nil {
		basePages = base.pages
	}
	image.pages = linear.Take(i.memory.Bytes(), basePages, empty...)
	image.pages.Plan(int(i.realm.stackPointer))
}

// fillHoles takes the free pieces between what the image holds, for good. A call would
// put its values there, here one and there one, and each page it writes is copied in each
// reset and private to its instance; so it gets new pages, one after the other.
func (i *instance) fillHoles() {
	const largest = 64 << 10 // bytes; no hole is that large
	end := i.invoke(fnMalloc, largest)
	i.invoke(fnFree, end)
	for size := uint64(largest / 2); size >= 8; size /= 2 {
		for {
			at := i.invoke(fnMalloc, size)
			if at >= end || at == 0 {
				i.invoke(fnFree, at)
				break
			}
		}
	}
}

// wipe clears what earlier work left on the stack and in the free part of the
// heap, so that the image holds only live data. It returns pages that are
// certainly empty.
func (i *instance) wipe() (empty []linear.Span) {
	// Clearing untouched memory would only page it in.
	deepest := (guest.StackLow + linear.PageSize) &^ (linear.PageSize - 1)
	used := int(i.realm.stackPointer) &^ (linear.PageSize - 1)
	stack := linear.Span{From: deepest, To: used}
	clear(i.memory.Bytes()[guest.StackLow:deepest])
	linear.Drop(i.memory.Bytes()[stack.From:stack.To])
	clear(i.memory.Bytes()[used:i.realm.stackPointer])
	// The heap must not grow for this: a refused allocation is retried smaller.
	i.memory.Limit(i.memory.Size())
	at, most := 0, spareHeap
	for at == 0 && most > spareHeap/8 {
		most -= spareHeap / 16
		at = int(uint32(i.invoke(fnMalloc, uint64(most))))
	}
	if at == 0 || i.trapped != nil {
		return []linear.Span{stack}
	}
	heap := linear.Span{From: (at + linear.PageSize - 1) &^ (linear.PageSize - 1), To: (at + most) &^ (linear.PageSize - 1)}
	clear(i.memory.Bytes()[at:heap.From])
	linear.Drop(i.memory.Bytes()[heap.From:heap.To])
	clear(i.memory.Bytes()[heap.To : at+most])
	i.invoke(fnFree, uint64(at))
	// free has written two links into the first bytes, and perhaps a size at the end.
	return []linear.Span{stack, {From: heap.From + linear.PageSize, To: heap.To}}
}
