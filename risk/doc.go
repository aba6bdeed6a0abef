// Package risk says how dangerous something is and what to do about it: levels,
// server and tool risk, poisoning, shadowing, fingerprints, the decision
// contract and the response sanitiser.
//
// The package is pure: no network, no files, no clock, no randomness. The same
// input gives the same answer, so every answer can be checked again later.
//
// What comes from an MCP server has packages of its own: risk/mcp scores servers
// and tools, risk/poison reads their texts, risk/shadow compares them with each
// other, risk/fingerprint sees them change, risk/composition decides whether they
// may be re-published, and risk/event reports all that.
//
// Read [Level], [Decision] and [Clearance] first.
package risk
