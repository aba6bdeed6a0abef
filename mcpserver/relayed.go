package mcpserver

//lint:file-ignore SA1019 what is deprecated is relayed for as long as servers use it

import (
	"bytes"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"
	"github.com/yosida95/uritemplate/v3"

	"github.com/glovebox-run/glovebox/mcpserver/relay"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// relayed is a source as a view offers it, with its requests prepared.
type relayed struct {
	relay.Source
	read, get, complete *offer // nil for none
}

// sources is what a view relays beside tools. Of two sources with one URI, template or
// name the first has it.
type sources struct {
	all       []*relayed
	resources map[string]*relayed
	prompts   map[string]*relayed
	templates []template
}

type template struct {
	text    string
	pattern *regexp.Regexp
	of      *relayed
}

// relay prepares sources, and returns the entries that cannot be offered.
func (s *Server) relay(from []relay.Source) (to sources, withheld []refusal) {
	to.resources, to.prompts = map[string]*relayed{}, map[string]*relayed{}
	for i := range from {
		r := &relayed{Source: from[i]}
		r.read, r.get, r.complete = s.request(r.Read), s.request(r.Get), s.request(r.Complete)
		to.all = append(to.all, r)
		refuse := func(key, why string) { withheld = append(withheld, refusal{Withheld{key, why}, r.Name}) }
		keep := func(entries []relay.Entry, member string, take func(key string) (holder *relayed, fault string)) []relay.Entry {
			return slices.DeleteFunc(slices.Clone(entries), func(e relay.Entry) bool {
				if value := jsontext.Value(e.Listed); !value.IsValid() || value.Kind() != '{' || gjson.GetBytes(e.Listed, member).String() != e.Key {
					refuse(e.Key, "its definition is no JSON object with its "+member)
					return true
				}
				holder, fault := take(e.Key)
				if holder != nil {
					fault = governed.Clash{Name: e.Key, Source: r.Name, Holder: holder.Name}.Why()
				}
				if fault != "" {
					refuse(e.Key, fault)
				}
				return fault != ""
			})
		}
		held := func(by map[string]*relayed) func(string) (*relayed, string) {
			return func(key string) (*relayed, string) {
				if holder := by[key]; holder != nil {
					return holder, ""
				}
				by[key] = r
				return nil, ""
			}
		}
		r.Resources = keep(r.Resources, "uri", held(to.resources))
		r.Prompts = keep(r.Prompts, "name", held(to.prompts))
		r.Templates = keep(r.Templates, "uriTemplate", func(key string) (*relayed, string) {
			for _, t := range to.templates {
				if t.text == key {
					return t.of, ""
				}
			}
			parsed, err := uritemplate.New(key)
			if err != nil {
				return nil, "it is no URI template"
			}
			to.templates = append(to.templates, template{key, parsed.Regexp(), r})
			return nil, ""
		})
	}
	return to, withheld
}

// request prepares a request about resources or prompts; nil for none.
func (s *Server) request(tool governed.Tool) *offer {
	if tool == nil {
		return nil
	}
	return &offer{Tool: tool, observed: s.observe(tool)}
}

// holder returns the source of a resource that an audience may read, or nil: the one
// that lists it, has a template for it, or is the only one with resources. Servers give
// out URIs that they do not list, such as links in results.
func (s *sources) holder(uri string, seen audience) *relayed {
	r := s.resources[uri]
	for i := 0; r == nil && i < len(s.templates); i++ {
		if s.templates[i].pattern.MatchString(uri) {
			r = s.templates[i].of
		}
	}
	if r == nil {
		for _, each := range s.all {
			if each.read == nil {
				continue
			}
			if r != nil {
				r = nil
				break
			}
			r = each
		}
	}
	if r == nil || r.read == nil || !seen.sees(r.Name, uri) {
		return nil
	}
	return r
}

// entries returns one list, as an audience sees it.
func (s *sources) entries(method string, seen audience) (member string, entries []relay.Entry) {
	for _, r := range s.all {
		from := r.Resources
		member = "resources"
		switch method {
		case "resources/templates/list":
			member, from = "resourceTemplates", r.Templates
		case "prompts/list":
			member, from = "prompts", r.Prompts
		}
		for _, e := range from {
			if seen.sees(r.Name, e.Key) {
				entries = append(entries, e)
			}
		}
	}
	return member, entries
}

// capabilities are what the view can do now.
func (v *view) capabilities() *mcp.ServerCapabilities {
	can := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}}
	for _, r := range v.shown.Load().sources.all {
		if r.read != nil {
			if can.Resources == nil {
				can.Resources = &mcp.ResourceCapabilities{ListChanged: true}
			}
			can.Resources.Subscribe = can.Resources.Subscribe || r.Subscribe != nil
		}
		if r.get != nil {
			can.Prompts = &mcp.PromptCapabilities{ListChanged: true}
		}
		if r.complete != nil {
			can.Completions = &mcp.CompletionCapabilities{}
		}
		if r.LogLevel != nil {
			can.Logging = &mcp.LoggingCapabilities{}
		}
	}
	return can
}

// everything is what the SDK is told that a view can do. It refuses subscriptions to
// what it does not know of; clients are told what is true.
func everything() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{
		Tools: &mcp.ToolCapabilities{ListChanged: true}, Prompts: &mcp.PromptCapabilities{ListChanged: true},
		Resources: &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		Logging:   &mcp.LoggingCapabilities{}, Completions: &mcp.CompletionCapabilities{},
	}
}

// relayChanged tells clients of lists that are other ones than before; see toolsChanged.
func (v *view) relayChanged(before, now *sources) {
	differ := func(methods ...string) bool {
		return slices.ContainsFunc(methods, func(method string) bool {
			_, old := before.entries(method, audience{})
			_, new := now.entries(method, audience{})
			return !slices.EqualFunc(old, new, func(a, b relay.Entry) bool { return a.Key == b.Key && bytes.Equal(a.Listed, b.Listed) })
		})
	}
	if differ("resources/list", "resources/templates/list") {
		v.changed[resourceList].Add(1)
		v.sdk.AddResource(&mcp.Resource{Name: "changed", URI: "glovebox:changed"}, nil)
	}
	if differ("prompts/list") {
		v.changed[promptList].Add(1)
		v.sdk.AddPrompt(&mcp.Prompt{Name: "changed"}, nil)
	}
}
