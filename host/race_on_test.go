//go:build race

package host

// slowdown is how much longer work takes with the race detector.
const slowdown = 20
