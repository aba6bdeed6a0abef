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
// floor on either side the points are added. With one, the reference takes the
// higher of the two levels, which can be below the band of the sum; ours is never
// below it.
func Compose(p Profile, server ServerRisk, tool ToolRisk) ComposedRisk {
	c := ComposedRisk{Points: server.Points + tool.Points, Server: server, Tool: tool}
	c.Trigger = server.Floor
	if !c.Trigger.Tripped() {
		c.Trigger = tool.Floor
	}
	c.Level = Band(c.Points)
	switch {
	case p == Default:
		// The tool's documentation gaps count in its points, not in its level.
		c.Level = Worse(Band(server.Points+levelPoints(tool.Level)), Worse(server.Level, tool.Level))
	case c.Trigger.Tripped():
		c.Level = Worse(server.Level, tool.Level)
	}
	c.Label = c.Level.Label()
	return c
}

// Mitigate lowers a level by one band when a person approves every call, but not
// below L1. An unrated level stays unrated. As a side effect the reference raises L0
// to L1; ours keeps L0.
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
// poisoning scan of the tool is clean. The caller must know whether a server is the
// built-in one: a name proves nothing.
//
// An unrated tool is L0 in the reference and stays unrated in ours.
func BuiltInTool(p Profile, sandbox risk.Level, approval, scanClean bool) (inherent, effective Level) {
	inherent = Level(sandbox)
	if p == Reference && inherent == Unrated {
		inherent = L0
	}
	return inherent, Mitigate(p, inherent, approval && scanClean)
}

// Aggregate returns the level of a composition: the worst level of its members, or
// L0 if it has none. The reference skips unrated members; in ours a single one makes
// the whole composition unrated.
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

// UnknownServer returns the level of an unregistered server: L1 in the reference,
// unrated in ours.
func UnknownServer(p Profile) Level {
	if p == Reference {
		return L1
	}
	return Unrated
}
