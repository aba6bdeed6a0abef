// Package risk says how dangerous something is and what to do about it: levels,
// server and tool risk, poisoning, shadowing, fingerprints, the decision
// contract and the response sanitiser.
//
// The package is pure: no network, no files, no clock, no randomness. The same
// input gives the same answer, so every answer can be checked again later.
//
// MCP servers have packages of their own: risk/mcp scores servers and tools,
// risk/poison scans their texts, risk/shadow compares tools with each other,
// risk/fingerprint detects changes, risk/composition decides whether tools may be
// re-published, and risk/event defines the events that report all this.
//
// Read [Level], [Decision] and [Clearance] first.
package risk
