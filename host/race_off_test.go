//go:build !race

package host

const slowdown = 1
