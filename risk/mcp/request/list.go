package request

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/glovebox-run/glovebox/risk/mcp"
)

// ToolList is the answer to a whole tools/list result.
type ToolList struct {
	Tools []NamedTool `json:"tools"`
}

// NamedTool is one tool of a list: its score, or why it has none.
type NamedTool struct {
	Name  string        `json:"name,omitempty"`
	Score *mcp.ToolRisk `json:"risk,omitempty"`
	Error string        `json:"error,omitempty"`
}

// ScoreTools reads what [ScoreTool] reads, or a tools/list result {"tools":
// [definition ...]}. A definition that cannot be read does not affect the others,
// but leaves the list unrated.
func ScoreTools(p mcp.Profile, raw []byte, ctx mcp.ToolContext) (Scored, error) {
	var page struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(raw, &page); err != nil || page.Tools == nil {
		return ScoreTool(p, raw, ctx)
	}
	list := ToolList{Tools: []NamedTool{}}
	for i, definition := range page.Tools {
		var named NamedTool
		t, err := mcp.ReadTool(p, definition, ctx)
		if err != nil {
			named.Error = fmt.Sprintf("/tools/%d: %v", i, err)
		} else {
			score := mcp.ScoreTool(p, t)
			named.Name, named.Score = t.Name, &score
		}
		list.Tools = append(list.Tools, named)
	}
	return list, nil
}

// Rated returns the worst level of the list.
func (l ToolList) Rated() mcp.Level {
	worst := mcp.L0
	for _, t := range l.Tools {
		if t.Score == nil {
			return mcp.Unrated
		}
		worst = mcp.Worse(worst, t.Score.Level)
	}
	return worst
}

// Chip returns one line per tool. Names that would disturb a terminal are quoted.
func (l ToolList) Chip() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, t := range l.Tools {
		if t.Score == nil {
			fmt.Fprintf(w, "?\tunrated: %s\n", t.Error)
		} else {
			fmt.Fprintf(w, "%s\t%s\n", printable(t.Name), t.Score.Chip())
		}
	}
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// Explain draws the axes of every tool.
func (l ToolList) Explain() string {
	var b strings.Builder
	for _, t := range l.Tools {
		if t.Score == nil {
			fmt.Fprintf(&b, "?: unrated: %s\n", t.Error)
		} else {
			fmt.Fprintf(&b, "%s: %s", printable(t.Name), t.Score.Explain())
		}
	}
	return b.String()
}

// printable quotes a name that contains unprintable characters: the name comes from
// a server.
func printable(name string) string {
	if quoted := fmt.Sprintf("%+q", name); quoted[1:len(quoted)-1] != name {
		return quoted
	}
	return name
}
