// Package riskcontract is the tool risk contract as two read-only MCP tools:
// tool_risk_contract shows what the contract says, evaluate_tool_risk_decision
// decides a proposed call by it.
//
// They answer as package risk/contract does but parse more strictly: an argument
// that is unknown or of another type than in the schema makes the request invalid.
// An invalid request is denied in the answer's own members, not only as an error: a
// caller that looks for allowed finds false.
//
// The package knows nothing of MCP; package mcpserver turns answers into results.
package riskcontract
