package mcp

import "github.com/glovebox-run/glovebox/risk"

// ComposedRisk says how risky a tool of a server is when it is re-published.
type ComposedRisk struct {
	Level   Level      `json:"level"`
	Label   string     `json:"label"`
	Points  int        `json:"score"`
	Trigger Floor      `json:"trigger,omitzero"` // the server's floor if it has one, else the tool's
	Server  ServerRisk `json:"server"`
	Tool    ToolRisk   `json:"tool"`
}

// Compose combines the risk of a server with that of one of its tools. Without a
// floor on either side the points add up. With one, the reference takes the
// higher of the two levels, so that a floor can end below the sum; ours never
// does.
func Compose(p Profile, server ServerRisk, tool ToolRisk) ComposedRisk {
	c := ComposedRisk{Points: server.Points + tool.Points, Server: server, Tool: tool}
	c.Trigger = server.Floor
	if !c.Trigger.Tripped() {
		c.Trigger = tool.Floor
	}
	c.Level = Band(c.Points)
	switch {
	case p == Default:
		// The tool's gaps in documentation are among its points, not in its level.
		c.Level = Worse(Band(server.Points+levelPoints(tool.Level)), Worse(server.Level, tool.Level))
	case c.Trigger.Tripped():
		c.Level = Worse(server.Level, tool.Level)
	}
	c.Label = c.Level.Label()
	return c
}

// Mitigate lowers a level by one band when a person approves every call, but not
// below L1. An unrated level stays unrated. The reference raises L0 to L1 that
// way; ours leaves it.
func Mitigate(p Profile, level Level, personApproves bool) Level {
	switch {
	case !personApproves || level == Unrated:
		return level
	case level == L0 && p != Reference:
		return L0
	case level <= L2:
		return L1
	}
	return level - 1
}

// BuiltInTool returns the inherent and the effective level of a tool of our own
// server. That server bypasses this rubric (its level is L0); its tools keep the
// level of their sandbox, and the credit for approval is only given when the
// poisoning scan of the tool is clean. Whether a server is the built-in one is
// for the caller to know: a name proves nothing.
//
// A tool that nobody rated is L0 to the reference and stays unrated in ours.
func BuiltInTool(p Profile, sandbox risk.Level, approval, scanClean bool) (inherent, effective Level) {
	inherent = Level(sandbox)
	if p == Reference && inherent == Unrated {
		inherent = L0
	}
	return inherent, Mitigate(p, inherent, approval && scanClean)
}

// Aggregate returns the level of a composition: the worst of its members', and
// L0 when it has none. The reference skips members that nobody rated; in ours
// one of them makes the whole unrated.
func Aggregate(p Profile, members []Level) Level {
	worst := L0
	for _, l := range members {
		if p == Reference && l == Unrated {
			continue
		}
		worst = Worse(worst, l)
	}
	return worst
}

// UnknownServer returns the level of a server that is not registered: L1 to the
// reference, unrated in ours.
func UnknownServer(p Profile) Level {
	if p == Reference {
		return L1
	}
	return Unrated
}
