package labels

import (
	"sync"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// maxProfiles is how many tools are remembered; beyond that all are read again.
const maxProfiles = 10_000

// profiles remembers what is known of each version of a tool.
type profiles struct {
	file *live.File

	mu    sync.Mutex
	known map[risk.ToolRef]*live.Profile
}

// of returns the server and the name of a tool as the operator's file has them, and its
// profile.
func (p *profiles) of(t governed.Tool, about *governed.About) (server, name string, profile *live.Profile) {
	server, name = about.Source, about.Name
	if wrapped, ok := t.(*exposure.Tool); ok {
		server, name = wrapped.Origin().Upstream, wrapped.Origin().Tool
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if profile = p.known[about.Ref()]; profile == nil {
		if len(p.known) >= maxProfiles {
			clear(p.known)
		}
		profile = p.read(server, name, t, about)
		p.known[about.Ref()] = profile
	}
	return server, name, profile
}

func (p *profiles) read(server, name string, t governed.Tool, about *governed.About) *live.Profile {
	book := live.NewBook(p.file)
	if verbatim, ok := t.(governed.Verbatim); ok {
		listed := verbatim.Listed()
		d := capability.Parse(listed)
		d.Name = name
		hint := func(name string) bool { return gjson.GetBytes(listed, "annotations."+name).Type == gjson.True }
		book.Add(server, d, live.Hints{ReadOnly: hint("readOnlyHint"), Destructive: hint("destructiveHint")}, p.file.Trusts(server))
	} else if boxed := inTheBox(about); boxed != nil && p.file.Profile(server, name) == nil {
		return boxed
	}
	return book.Profile(server, name)
}

// inTheBox reads the profile of a tool in the box from what is enforced for it, which is
// more than it says of itself: without network and files it can only compute, so that its
// result holds no stranger's text that the caller did not have. Nil for other tools.
func inTheBox(about *governed.About) *live.Profile {
	can := gjson.GetBytes(about.Safety, "capabilities")
	if !can.IsObject() {
		return nil
	}
	profile := &live.Profile{Basis: live.Enforced, Reversible: true, Reads: true}
	if can.Get("network.mode").String() != "blocked" {
		profile.Sink, profile.Reversible, profile.Reads = capability.External, false, false
		profile.Result.Untrusted = true
	}
	if can.Get("fileRead").Bool() {
		profile.Result.Untrusted, profile.Result.Private, profile.Result.Origins = true, true, []string{about.Source}
	}
	if can.Get("fileWrite").Bool() || can.Get("destructive").Bool() {
		profile.Sink, profile.Reversible, profile.Reads = max(profile.Sink, capability.Internal), false, false
	}
	return profile.For(about.Name)
}
