//go:build race

package mcpserver_test

// overhead is what the race detector allocates for each byte that a message
// allocates, at most.
const overhead = 2
