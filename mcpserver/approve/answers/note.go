package answers

import (
	"encoding/json"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// recordedAs is the source of what operators do without the console in the record.
const recordedAs = "operator"

// note puts on record what somebody did about a rule. What a call does by a yes is on the
// record of the call; a rule stands until somebody revokes it.
func (h Handler) note(act, by string, about approve.Rule) {
	if h.Record == nil {
		return
	}
	text, err := json.Marshal(about)
	if err == nil {
		_, err = h.Record.Append(audit.Record{
			Time: time.Now(), ID: governed.NewID(), ToolID: recordedAs, Tool: recordedAs + "/" + act, Category: "operator", RiskLevel: about.Level.String(),
			Decision: "done by a person", Caller: by, Parameters: text, Outcome: audit.OK,
		})
	}
	if err != nil && h.Logger != nil {
		h.Logger.Error("operator.unrecorded", "act", act, "by", by, "cause", err)
	}
}

// made puts the rule on record that an answer has made.
func (h Handler) made(by string, e approve.Entry, rules []approve.Rule) {
	for _, r := range rules {
		if e.Rule != "" && r.ID == e.Rule {
			h.note("make-rule", by, r)
		}
	}
}
