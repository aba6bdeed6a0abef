package labels

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Host is the server that tools of the client's own belong to: in the operator's file, and
// as the source of what they read.
const Host = "host"

// HostCall is a call that a client is about to make with a tool of its own.
type HostCall struct {
	Principal string          `json:"principal"`
	Tool      string          `json:"tool"`  // as the client calls it, such as Bash
	Input     json.RawMessage `json:"input"` // its arguments, a JSON object
}

// HostAnswer says what the client is to do with it. The zero answer denies.
type HostAnswer struct {
	Verdict string   `json:"verdict"` // allow, ask, deny
	Reason  string   `json:"reason,omitempty"`
	Details []string `json:"details,omitempty"`
	Flow    Flow     `json:"flow"`
}

// Host judges a call that the client makes by itself. What it will send is seen here; what
// it reads has to be told: see [Sessions.Met]. Whether the client does as it is answered,
// nobody here knows. secrets are the arguments that hold what gives access.
func (j *Judge) Host(ctx context.Context, c HostCall, secrets []string) HostAnswer {
	arguments, unread := live.Flatten(c.Input)
	call := &live.Call{ID: governed.NewID(), Server: Host, Tool: c.Tool, Profile: j.hostProfile(&c), Arguments: arguments, Unread: unread, Secrets: secrets,
		// A programmer's agent tries what it builds on the machine that it runs on.
		PrivateNetwork: privateNetwork(arguments, false)}
	mode := j.settings.Mode
	d, err := j.decide(c.Principal, call, mode)
	if err != nil {
		d = live.Failed(err)
	}
	verdict := effect(mode, &d)
	if verdict == risk.Allow {
		if err := j.sessions.used(ctx, c.Principal, call); err != nil {
			d = live.Failed(err)
			verdict = effect(mode, &d)
		}
	}
	a := HostAnswer{Verdict: verdict.String(), Flow: *newFlow(mode, &d)}
	if verdict != risk.Allow {
		a.Reason, a.Details = split(d.Question(call), "")
	}
	return a
}

// hostProfile is what is known of a tool of the client: what the operator says, else what
// its name and its arguments say. Nobody lists its definition here.
func (j *Judge) hostProfile(c *HostCall) *live.Profile {
	properties := map[string]any{}
	gjson.ParseBytes(c.Input).ForEach(func(name, _ gjson.Result) bool {
		properties[name.String()] = map[string]string{"type": "string"}
		return len(properties) < maxHostArguments
	})
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	if err != nil {
		return nil // the worst is assumed
	}
	book := live.NewBook(j.settings.File)
	book.Add(Host, capability.Definition{Name: c.Tool, Schema: schema}, live.Hints{}, j.settings.File.Trusts(Host))
	return book.Profile(Host, c.Tool)
}

// maxHostArguments is how many arguments of a tool say something about it.
const maxHostArguments = 64

// HostSource is the source of what a tool of the client read.
func HostSource(tool string) string { return Host + "/" + strings.TrimSpace(tool) }

// used remembers the values of a call that goes on: before anything untrusted was met they
// are the caller's own.
func (s *Sessions) used(ctx context.Context, principal string, call *live.Call) error {
	return s.with(ctx, principal, func(o *open) error {
		t, ok := o.Ours(call, false)
		if !ok {
			return nil
		}
		return o.save(ctx, []live.Text{t}, leaves{})
	})
}
