package labels

import (
	"encoding/json"

	"github.com/glovebox-run/glovebox/risk/live"
)

// Flow is what the record of a call says about its decision.
type Flow struct {
	Mode    string       `json:"mode"`
	Verdict string       `json:"verdict"` // of the engine; in observe mode nothing follows from it
	Session live.Label   `json:"session"` // the label before the call
	Result  live.Label   `json:"result"`  // of what came back; nothing for a call that was not made
	Fired   []live.Fired `json:"fired,omitempty"`
	Kill    live.Signal  `json:"kill,omitempty"`
	// Leave is what a person allowed with this call for the rest of the task.
	Leave *live.Leave `json:"leave,omitempty"`
}

func newFlow(mode live.Mode, d *live.Decision) *Flow {
	return &Flow{Mode: mode.String(), Verdict: d.Verdict.String(), Session: d.Label, Fired: d.Fired, Kill: d.Kill}
}

func (f *Flow) json() json.RawMessage {
	text, err := json.Marshal(f)
	if err != nil {
		return nil // it holds strings and booleans alone
	}
	return text
}
