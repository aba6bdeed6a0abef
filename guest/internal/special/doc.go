// Package special compiles the loops of JavaScript functions: it specialises the guest's
// interpreter to their bytecode (the first Futamura projection).
//
//	interpreter.go  the interpreter's function, and where in it what is
//	liveness.go     which locals its code expects
//	ways.go         what the ways into and out of compiled code cost
//	value.go        what is known of a value, and of a path through the interpreter
//	follow.go       following the interpreter's code along all paths of an operation
//	instr.go        its instructions: done now, or put into the output
//	fold.go         arithmetic on what is known
//	emit.go         values, stack slots and counters in the output
//	step.go         one operation, and where its paths end
//	bytecode.go     jumps and loops of bytecode
//	loop.go         one loop as a function
//	module.go       the module
//
// Where the interpreter's code meets something known (the operation, its operands, the
// stack pointer, constants of the function) the result is computed here; everything else
// is put out as it stands. So compiled code does what the interpreter does, including
// what its meter charges: fuel and statements agree to the unit wherever code of the
// guest can look. Compiled code never decides that a limit is reached. Before each
// stretch of operations it looks whether one might be, and then goes on in the
// interpreter, as it does with operations that it cannot follow.
package special
