// Package host is the outside world cut into capabilities: a posture becomes
// exactly the calls that one guest may make. What is not granted has no row in
// the table, so there is nothing to refuse.
//
// It knows nothing of WebAssembly, of risk levels or of MCP.
package host
