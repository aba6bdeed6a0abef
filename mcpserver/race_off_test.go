//go:build !race

package mcpserver_test

const overhead = 1
