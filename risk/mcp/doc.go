// Package mcp scores the risk of MCP servers: a server itself ([ScoreServer]), one
// of its tools ([ScoreTool]), and the tool as it would be re-published ([Compose],
// [Mitigate]). [PreviewRegistration] scores a server that is not registered yet.
//
// Every result shows a person the reasons: its axes, the drivers of each axis in
// words, and the floor, if one decided. A rule is a row with an id that is never
// reused.
//
// There are two profiles. [Reference] reproduces the published behaviour of the
// implementation that this rubric comes from, including its mistakes; [Default]
// is the one to use. docs/risk-profiles.md lists every difference.
//
// The package does not scan text for instructions (risk/poison) and does not
// compare tools with each other (risk/shadow). The JSON form of all this is
// risk/mcp/request.
package mcp
