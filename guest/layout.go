package guest

import "github.com/glovebox-run/glovebox/guest/internal/special"

// Names of the exported memory, of the function that calls any of Exports, and
// of the globals (i64, mutable, except the stack pointer, which is an i32).
const (
	Memory           = "memory"
	Dispatch         = "dispatch"
	GlobalStack      = "__stack_pointer"
	GlobalStatements = "statements"
	GlobalFuel       = "fuel"
	GlobalBulk       = "bulk"
)

// HostModule is the module of the imports.
const HostModule = "host"

// HostCallElement is the index of the imported host.call in the function table:
// the "function pointer" to give to JS_NewCFunction2.
const HostCallElement = 580

// EnterElement is the index in the function table of the code that OpEnter calls.
const EnterElement = HostCallElement + 1

// OpEnter is the bytecode operation that enters compiled code: QuickJS has none of that
// number.
const OpEnter = special.OpEnter

// Addresses of the linked module, in bytes. The build gave the stack 64 KiB
// between static data and heap; the linker moves the heap up by StackAdded.
const (
	StackLow   = 109_232 // static data ends here; the stack grows down to it
	StackHigh  = builtStackHigh + StackAdded
	StackAdded = 2 << 20

	builtStackHigh = 174_768 // also where the heap begins
	builtHeapEnd   = 196_608 // the three pages of the build
	pageSize       = 65_536
)

// Offsets into QuickJS structures of this build. The linker refuses a module
// whose code does not show them.
const (
	// StackLimitOffset in JSRuntime: i32, the lowest stack address JavaScript may
	// use. A WASI build leaves it 0, which means no check at all.
	StackLimitOffset = 128
	// TimeOriginOffset in JSContext: f64, milliseconds, what performance.now
	// counts from. performance.timeOrigin holds a copy as a property.
	TimeOriginOffset = 280
	// RandomStateOffset in JSContext: u64, the xorshift state of Math.random;
	// never 0.
	RandomStateOffset = 288
)

// Exports are the functions that stay callable; functions that none of them
// reaches are removed. Signatures are those of quickjs.h with pointers and ints as
// i32 and JSValue as i64 (NaN-boxed). js_new_string8_len (ctx, chars, length)
// makes a string of Latin-1 characters; it is not in quickjs.h. js_malloc (ctx,
// size) is malloc that counts for the realm, or throws.
func Exports() []string {
	return []string{
		"_initialize", "malloc", "free", "js_malloc",
		"JS_NewRuntime", "JS_NewContext", "JS_SetMemoryLimit", "JS_SetGCThreshold", "JS_RunGC",
		"JS_Eval", "JS_Call", "JS_NewCFunction2",
		"JS_GetGlobalObject", "JS_GetPropertyStr", "JS_GetPropertyUint32", "JS_SetPropertyStr", "JS_DefinePropertyValueStr",
		"JS_NewObject", "JS_NewStringLen", "JS_NewStringUTF16", "js_new_string8_len", "JS_NewArray", "JS_SetPropertyUint32", "JS_NewUint8ArrayCopy",
		"JS_ToCStringLen2", "JS_FreeCString", "JS_GetUint8Array", "JS_GetArrayBuffer",
		"JS_DupValue", "JS_FreeValue",
		"JS_GetException", "JS_HasException", "JS_Throw", "JS_NewError", "JS_IsError", "JS_ResetUncatchableError",
		"JS_ParseJSON", "JS_JSONStringify",
		"JS_ExecutePendingJob", "JS_IsJobPending", "JS_PromiseState", "JS_PromiseResult",
	}
}
