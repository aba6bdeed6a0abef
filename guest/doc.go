// Package guest is everything inside the box: QuickJS as a WebAssembly module
// that is linked and metered here, and the JavaScript prelude. It does not know
// how the module is run.
package guest
