// Package score grades an MCP server by what can be seen of it without calling a
// tool: how it is reached, what it says of itself, which tools it offers and how
// they are described.
//
//	Observation  what was seen, as it is stored; secrets are replaced by Redact
//	Rules        the 61 published rules, one Row each, and our readings of some of them
//	Evaluate     an observation and what is known besides it -> Report
//	Report       score, grade, verdict, tier, level, one Result for each rule
//
// Every rule passes, fails, does not apply or is unknown; the score is the weight
// of the passed rules over the weight of those that passed or failed. There is no
// partial credit. An id is never reused: a rule that changes gets a new one.
//
// There are two profiles. Classic is the published methodology with its keyword
// rules. Refined reads names, descriptions and schemas with risk/capability and
// risk/poison, and only blocks a server when the name and the description of a tool
// agree and anybody may call it; the ids of its rules end in "/2" or more.
//
// The published methodology leaves questions open. Assumptions lists our answers,
// and every report carries those that it relies on.
//
// The package is pure: the same observation gives the same report at any time.
// mcpserver/probe does the looking; risk/score/advisory matches known vulnerable
// builds; risk/score/report writes reports for people and programs.
package score
