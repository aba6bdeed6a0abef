package jsengine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/glovebox-run/glovebox/guest"
	"github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"
	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// fn is a function of the guest.
type fn int

const (
	fnInitialize fn = iota
	fnMalloc
	fnFree
	fnAllocate
	fnNewRuntime
	fnNewContext
	fnRunGC
	fnSetGCThreshold
	fnEval
	fnCall
	fnNewCFunction
	fnGetProperty
	fnNewString
	fnNewLatin1
	fnNewUTF16
	fnNewArray
	fnSetElement
	fnNewBytes
	fnToText
	fnFreeText
	fnGetBytes
	fnFreeValue
	fnGetException
	fnThrow
	fnParseJSON
	fnStringify
	fnRunJob
	fnPromiseState
	fnPromiseResult
	fnCount
)

var fnNames = [fnCount]string{
	fnInitialize:     "_initialize",
	fnMalloc:         "malloc",
	fnFree:           "free",
	fnAllocate:       "js_malloc",
	fnNewRuntime:     "JS_NewRuntime",
	fnNewContext:     "JS_NewContext",
	fnRunGC:          "JS_RunGC",
	fnSetGCThreshold: "JS_SetGCThreshold",
	fnEval:           "JS_Eval",
	fnCall:           "JS_Call",
	fnNewCFunction:   "JS_NewCFunction2",
	fnGetProperty:    "JS_GetPropertyStr",
	fnNewString:      "JS_NewStringLen",
	fnNewLatin1:      "js_new_string8_len",
	fnNewUTF16:       "JS_NewStringUTF16",
	fnNewArray:       "JS_NewArray",
	fnSetElement:     "JS_SetPropertyUint32",
	fnNewBytes:       "JS_NewUint8ArrayCopy",
	fnToText:         "JS_ToCStringLen2",
	fnFreeText:       "JS_FreeCString",
	fnGetBytes:       "JS_GetUint8Array",
	fnFreeValue:      "JS_FreeValue",
	fnGetException:   "JS_GetException",
	fnThrow:          "JS_Throw",
	fnParseJSON:      "JS_ParseJSON",
	fnStringify:      "JS_JSONStringify",
	fnRunJob:         "JS_ExecutePendingJob",
	fnPromiseState:   "JS_PromiseState",
	fnPromiseResult:  "JS_PromiseResult",
}

// entry is the way into the guest for one level of calls, with the buffer for
// arguments and results: allocated once, where wazero's interface would allocate
// at every call.
type entry struct {
	dispatch api.Function
	stack    [guest.DispatchParams]uint64
}

type instanceKey struct{}

// instance is one guest: a memory and the functions that work on it. It runs one
// call at a time, on the goroutine of that call.
type instance struct {
	ctx    context.Context // for wazero; carries the instance to its host functions
	module api.Module
	memory *linear.Memory

	functions *[fnCount]uint64 // the machine's
	table     []function       // what entries of the guest's table point to
	loops     *loops           // compiled, of the image it had last
	beside    api.Module       // their instance

	// wazero gives each api.Function a stack of its own, so one serves all
	// functions. A host call that calls back needs a different one from the call it
	// interrupts; it is made on first use.
	outer, inner entry
	inHost       bool
	stack        linear.Stack // of outer; nil where it is wazero's own

	stackPointer, statements, fuel, bulk api.MutableGlobal

	image *Image // whose memory this is, once fresh
	fresh bool   // nothing has run since the reset
	realm realm

	cleaned time.Time // when the pool has reset it
	resting bool      // since then its memory was given back

	run     execution // of the running call
	console console

	lastName string // of a host call's operation

	trapped error // why the guest stopped; nothing works after that
	deep    bool  // recursed to its limit: wazero keeps the megabytes of a stack that it grew
}

// newInstance makes an instance with the given size of memory. Its content is
// base's, or the module's own data when base is nil.
func (m *machine) newInstance(base *linear.Image, size, reserve uint64) (*instance, error) {
	memory, err := linear.New(size, reserve)
	if err != nil {
		return nil, fmt.Errorf("jsengine: reserve memory: %w", err)
	}
	i := &instance{memory: memory, functions: &m.functions}
	i.ctx = context.WithValue(context.Background(), instanceKey{}, i)
	allocator := experimental.MemoryAllocatorFunc(func(uint64, uint64) experimental.LinearMemory { return memory })
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(noRandomness{})
	i.module, err = m.runtime.InstantiateModule(experimental.WithMemoryAllocator(i.ctx, allocator), m.code, config)
	if err != nil {
		memory.Free()
		return nil, fmt.Errorf("jsengine: instantiate: %w", err)
	}
	if m.start != nil {
		i.table = m.start.apply(i.module)
	}
	switch {
	case base != nil:
		memory.Map(base) // only now: instantiation may have written the module's data
	case m.start != nil:
		copy(memory.Bytes(), m.start.data)
	}
	for name, global := range map[string]*api.MutableGlobal{
		guest.GlobalStack: &i.stackPointer, guest.GlobalStatements: &i.statements, guest.GlobalFuel: &i.fuel, guest.GlobalBulk: &i.bulk,
	} {
		*global = i.module.ExportedGlobal(name).(api.MutableGlobal)
	}
	return i, nil
}

// close releases everything. wazero frees the memory with the module.
func (i *instance) close() {
	_ = i.module.Close(i.ctx)
	if i.beside != nil {
		_ = i.beside.Close(i.ctx) // after the guest: wazero frees an imported memory too
	}
	i.memory.Free()
	i.stack.Free()
}

// reusable reports whether a reset can undo what has happened.
func (i *instance) reusable() bool {
	return i.trapped == nil && !i.memory.Grown() && (!i.deep || i.stack != nil)
}

// fill makes a new instance the image's.
func (i *instance) fill(image *Image) {
	if i.table == nil { // wazero has written the module's data
		i.reset(image)
		return
	}
	image.pages.Fill(i.memory)
	i.ready(image)
}

// reset makes the instance the image's, whatever it was before.
func (i *instance) reset(image *Image) {
	image.pages.Restore(i.memory)
	i.stack.Trim(keptStack, i.memory)
	i.ready(image)
}

// ready is what an instance needs beside the memory of its image.
func (i *instance) ready(image *Image) {
	i.realm = image.realm
	i.stackPointer.Set(image.realm.stackPointer)
	i.run = execution{}
	i.console = console{}
	i.image, i.fresh, i.resting = image, true, false
}

// rest gives back the memory that only this instance has; a reset makes it ready again.
func (i *instance) rest() {
	i.resting = true
	if i.memory.Rest() {
		i.fresh = false
	}
	i.stack.Trim(0, i.memory)
}

// invoke calls a function of the guest. After a trap it does nothing and returns
// zero, so a sequence of calls needs one check at its end.
func (i *instance) invoke(f fn, args ...uint64) uint64 {
	if i.trapped != nil {
		return 0
	}
	e := &i.outer
	if i.inHost {
		e = &i.inner
	}
	if e.dispatch == nil {
		e.dispatch = i.module.ExportedFunction(guest.Dispatch)
		if !i.inHost {
			i.stack = growStack(e.dispatch)
		}
	}
	e.stack[0] = i.functions[f]
	copy(e.stack[1:], args)
	if err := e.dispatch.CallWithStack(i.ctx, e.stack[:]); err != nil {
		i.trapped = err
		return 0
	}
	return e.stack[0]
}

var errAddress = errors.New("jsengine: an address outside of the guest's memory")

// bytes is guest memory itself, valid until the guest runs again.
func (i *instance) bytes(at, length uint32) []byte {
	if end := uint64(at) + uint64(length); end > i.memory.Size() {
		i.trap(errAddress)
		return nil
	}
	return i.memory.Bytes()[at : uint64(at)+uint64(length)]
}

func (i *instance) trap(err error) {
	if i.trapped == nil {
		i.trapped = err
	}
}

func (i *instance) word(at uint32) uint32 {
	if b := i.bytes(at, 4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (i *instance) poke64(at uint32, v uint64) {
	if b := i.bytes(at, 8); b != nil {
		binary.LittleEndian.PutUint64(b, v)
	}
}

// Up to this many bytes are borrowed from the guest's stack, which costs nothing;
// longer texts are allocated on its heap.
const lentBytes = 4 << 10

// loan is guest memory borrowed for one call into the guest.
type loan struct {
	at     uint32
	stack  uint64 // the stack pointer to go back to
	onHeap bool
}

// lend copies data into the guest and adds the final zero byte that the guest's
// parsers need. ok is false when its heap is full.
func (i *instance) lend(data []byte) (l loan, ok bool) {
	size := len(data) + 1
	if size > lentBytes {
		l.onHeap = true
		l.at = uint32(i.invoke(fnMalloc, uint64(size)))
		if l.at == 0 {
			return loan{}, false
		}
	} else {
		l = i.lendStack(uint32(size))
	}
	if b := i.bytes(l.at, uint32(size)); b != nil {
		b[jsvalue.Copy(b, data)] = 0
	}
	return l, i.trapped == nil
}

func (i *instance) lendStack(size uint32) loan {
	top := i.stackPointer.Get()
	at := (uint32(top) - size) &^ 15
	i.stackPointer.Set(uint64(at))
	return loan{at: at, stack: top}
}

func (i *instance) giveBack(l loan) {
	if l.onHeap {
		i.invoke(fnFree, uint64(l.at))
	} else if l.at != 0 {
		i.stackPointer.Set(l.stack)
	}
}

// noRandomness keeps wazero from making a 5 KiB generator for each instance. The
// guest has no import that could read it.
type noRandomness struct{}

func (noRandomness) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// appendText appends a guest string as UTF-8. ok is false when that would make
// the result longer than limit, or when the guest has trapped.
func (i *instance) appendText(to []byte, v jsvalue.Value, limit int) (text []byte, ok bool) {
	text, inPlace, fits := jsvalue.AppendText(to, i.memory.Bytes(), v, limit)
	if inPlace {
		return text, fits
	}
	// Pieces that were concatenated or cut out: the guest puts them together.
	size := i.lendStack(4)
	chars := uint32(i.invoke(fnToText, i.realm.context, uint64(size.at), uint64(v), 0))
	length := i.word(size.at)
	i.giveBack(size)
	if chars == 0 {
		i.run.stopped = i.outOfMemory()
		i.trap(errStopped)
		return to, false
	}
	if int64(len(to))+int64(length) > int64(limit) {
		return to, false
	}
	to = jsvalue.AppendValidUTF8(to, i.bytes(chars, length))
	i.invoke(fnFreeText, i.realm.context, uint64(chars))
	return to, true
}
