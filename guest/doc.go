// Package guest is everything inside the box: QuickJS as a WebAssembly module that
// is linked and metered here, and the JavaScript prelude. It does not know how the
// module is run.
//
//	Build    the module as bytes, metered or not (build.go)
//	Revision names what Build makes, for callers that keep the bytes (build.go)
//	Exports, globals, offsets: the fixed facts of the module (layout.go)
//	Interpreter compiles the loops of a program to a second module (compile.go)
//
// The steps of Build are wasm.Decode, the linker of this package (link.go and
// the files beside it), meter.Apply and wasm.Encode.
//
// # The module from outside
//
// It imports three functions of the module "host":
//
//	call(ctx i32, this i64, argc i32, argv i32) i64   a JavaScript C function; element HostCallElement, so
//	                                                  JS_NewCFunction2(ctx, HostCallElement, name, length, 0, 0) makes it callable.
//	                                                  argv points to argc values of eight bytes.
//	refuel(fuel i64) i64                              metered modules only: called when fuel > 0 with its value, returns the new
//	                                                  one. Trap (panic) to stop. See Fuel below.
//	clock(id i32) i64                                 nanoseconds: 0 since 1970, 1 monotonic
//
// and exports memory, the functions of Exports and the mutable globals named by
// the Global constants. There is no start section: call _initialize once.
//
//	dispatch(function i32, arguments i64...) i64      calls one of Exports: the first argument is its DispatchIndex, i32 arguments
//	                                                  are the lower half, the result is zero-extended, 0 for none. For runtimes
//	                                                  where each function that is called from outside costs memory.
//
// For compiled loops it also exports the function table, ask (the function that calls
// refuel until there is fuel), and what the interpreter calls. The bytecode operation
// OpEnter calls the table's element EnterElement, which is empty at first.
//
// # Counters
//
// All counters count up from minus the allowance, so zero is the limit.
//
// Statements counts executed interpreter operations; when it would pass zero
// the module traps with unreachable. A trap with Statements > 0 is therefore
// the statement limit. It exists in both forms.
//
// Fuel and Bulk exist in the metered form. Fuel counts one unit for each
// WebAssembly operation, as wasmtime does, and surcharges: one for each byte that
// a bulk memory operation touches, and some hundred where QuickJS follows pointers
// all over the heap (surcharge.go). Bulk counts only the surcharges. When Fuel > 0 at a
// function entry or loop header, refuel is called. To grant work in slices keep
// granted and limit: start with Fuel = -x, granted = x = min(slice, limit); on
// refuel(cur), trap when granted == limit, else x = min(slice, limit-granted),
// granted += x and return cur - x. Consumed is granted + Fuel.
package guest
