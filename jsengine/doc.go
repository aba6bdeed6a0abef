// Package jsengine is the machine: it compiles the guest once, boots it once to
// an image and runs every call on a fresh instance with one way out. It knows
// nothing of specs, postures or risk.
package jsengine
