// Package contract decides single MCP tool calls by a tool risk contract, and
// generates such contracts from what an organisation knows about its connectors.
//
// A contract is a list of tools (one row per namespace: access modes, six risk
// factors, four suggested hints) and of workflows (which namespaces each may
// use). [Parse] reads both published shapes. [ParseRequest] reads one proposed
// call, [Contract.Decide] answers it with one of seven decisions, and
// [Answer.Report] says why in a form that can be filed. [Connector.Score] and
// [Generate] are the other half: they compute the rows.
//
// The engine is the contract's compat mode: it answers exactly as the published
// evaluator does, weaknesses included. Each known weakness has a test of its own
// in weaknesses_test.go; none is silently repaired here. Two checks are stricter,
// and neither can turn a refusal into an allow: JSON that a strict reader refuses
// (duplicate names, broken UTF-8, NaN, trailing bytes) is not a request, and a
// contract is invalid if a row lacks a deciding field.
//
// The package does not know where bytes come from, what time it is, what a session
// did before, or what the tool will really do. It keeps no state: a kill is not
// remembered.
//
// Read [Decision], the table in rules.go and [Contract.Decide] first.
package contract
