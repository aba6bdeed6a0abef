// Package mcp scores what comes from an MCP server: the server itself
// ([ScoreServer]), one of its tools ([ScoreTool]), and the tool as it would be
// re-published ([Compose], [Mitigate]). [PreviewRegistration] scores a server
// that is not registered yet.
//
// Every result carries its axes, each axis its drivers in words, and the floor
// that decided if one did, so that a person sees why. A rule is a row with an id
// that is never reused.
//
// There are two profiles. [Reference] reproduces the published behaviour of the
// implementation that this rubric comes from, its mistakes included; [Default]
// is the one to use, and docs/risk-profiles.md lists every difference.
//
// The package does not scan text for instructions (risk/poison) and does not
// compare tools with each other (risk/shadow). The JSON form of all this is
// risk/mcp/request.
package mcp
