// Package oracle checks the metering of the guest against an engine that counts
// by itself: wasmtime runs the linked module before metering with its own fuel,
// wazero runs the metered one, and both must give the same output, the same
// statements and, to the unit, the same fuel.
//
// It is a module of its own because wasmtime is C: it needs a C compiler and a
// large download, which nothing else here does. There is nothing but tests.
package oracle
