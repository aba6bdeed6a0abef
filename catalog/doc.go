// Package catalog holds what authors declare: the Safe Tool Spec as a document,
// its checks, the posture it resolves to and the hashes that identify it, along
// with the bundled tools and the list of known MCP servers.
//
// The package is pure: it reads bytes that somebody else loaded and returns
// values. It does not know how a tool is run, how risky it is, or where specs
// are stored.
//
// Read [Posture] first.
package catalog
