// Package wasm reads and writes WebAssembly modules so that they can be edited.
//
//	Decode   bytes -> Module, every instruction decoded
//	Encode   Module -> bytes
//
// Module (module.go) is the module as the binary format lays it out; Instr and
// Op (instr.go, opcode.go) are the instructions with the immediates each takes.
// Covered is WebAssembly 1.0 with sign extension, saturating conversion,
// multi-value, bulk memory and reference types; anything else is an error. The
// decoder accepts any bytes: it checks structure (nesting, label depths, section
// order, counts), not types.
package wasm
