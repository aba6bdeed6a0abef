// Package jsengine is the machine: it compiles the guest once, boots it once to an
// image and runs every call on a fresh instance with one way out. It knows nothing
// of specs, postures or risk.
//
// Read in this order:
//
//   - Engine: the compiled guest and the pool of instances. One a process.
//   - Image: booted memory with a tool's code in it, immutable and shared. A
//     tool's image is the base image plus the pages in which it differs.
//   - compiler: the loops of an image that computes much become machine code, and the image
//     another one. Nothing but time shows it.
//   - Call and Outcome: a request and its result. A call runs on one goroutine,
//     on an instance whose memory is the image and nothing else.
//   - Limits, Usage and Failure: what a call may spend, what it spent, and the
//     closed list of ways in which it ends early.
//   - Caller: the only way out of the box.
//   - linear and jsvalue, the packages below: memory that can be restored, and
//     QuickJS's values read in place.
//
// The engine grants a guest nothing of its own accord: a Call without a Caller can
// reach nothing, and its clock and randomness are granted for that call only.
package jsengine
