package mcpserver

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/eras"
	"github.com/glovebox-run/glovebox/mcpserver/internal/pages"
	"github.com/glovebox-run/glovebox/mcpserver/internal/paramheader"
	"github.com/glovebox-run/glovebox/mcpserver/internal/response"
	"github.com/glovebox-run/glovebox/mcpserver/internal/search"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// view is what one endpoint serves, with the sessions of its clients. The SDK keeps
// the sessions; what is listed and called is ours.
type view struct {
	*Server
	name string // of the endpoint below /mcp/; empty for /mcp
	sdk  *mcp.Server

	seats   seats
	pending response.Pending // our requests to clients whose calls are answered without the SDK

	published governed.Published
	shown     atomic.Pointer[shown]
	watching  watching
	levels    levels
	changed   changing // lists
}

// shown is what a view offers at one time. It does not change, except for lists that
// are made when they are first asked for.
type shown struct {
	tools   map[string]*offer // by name
	sources sources
	// searchAbove is the number of tools above which an audience searches; 0 is never.
	searchAbove int

	mu      sync.Mutex
	lists   map[listKey]*pages.List
	indexes map[string]*search.Index // by audience
}

// listKey is one list as one kind of client sees it.
type listKey struct {
	method string
	legacy bool
	seen   string // see audience
}

// offer is a published tool, with what its lists and calls need each time.
type offer struct {
	governed.Tool
	observed       *telemetry.Tool
	modern, legacy json.RawMessage // the definition, for clients without and with sessions
	headers        []paramheader.Binding
}

func (s *Server) newView(name string) *view {
	v := &view{Server: s, name: name}
	v.shown.Store(&shown{})
	v.sdk = mcp.NewServer(s.implementation(), &mcp.ServerOptions{
		Capabilities: everything(), SubscribeHandler: v.subscribe, UnsubscribeHandler: v.unsubscribe,
		Logger: sdkLogger(s.config.Logger),
	})
	refuseTasks(v.sdk)
	v.sdk.AddReceivingMiddleware(v.seated, s.withArguments, v.serve)
	v.sdk.AddSendingMiddleware(sendRaw)
	return v
}

// refusal is a tool that a view does not offer.
type refusal struct {
	Withheld
	source string
}

// update publishes exactly these tools, and tells clients if that is a change. Of two
// with one name the first is published.
func (v *view) update(to Composition, searchAbove int) (withheld []refusal) {
	tools := to.Tools
	before, now := v.shown.Load(), &shown{tools: make(map[string]*offer, len(tools)), lists: map[listKey]*pages.List{}, indexes: map[string]*search.Index{}}
	now.searchAbove = searchAbove
	changed := before.searchAbove != searchAbove
	offered := make([]governed.Tool, 0, len(tools))
	for _, tool := range tools {
		name := tool.About().Name
		o := before.tools[name]
		if o == nil || o.Tool != tool {
			var err error
			if o, err = v.offer(tool); err != nil {
				withheld = append(withheld, refusal{Withheld{name, err.Error()}, tool.About().Source})
				continue
			}
		}
		offered = append(offered, tool)
		if now.tools[name] == nil {
			now.tools[name] = o
			changed = changed || before.tools[name] != o
		}
	}
	for _, clash := range v.published.Set(offered) {
		withheld = append(withheld, refusal{Withheld{clash.Name, clash.Why()}, clash.Source})
	}
	var refused []refusal
	now.sources, refused = v.relay(to.Sources)
	withheld = append(withheld, refused...)
	v.shown.Store(now)
	v.relayChanged(&before.sources, &now.sources)
	if changed || len(now.tools) != len(before.tools) {
		v.toolsChanged()
	}
	return withheld
}

// toolsChanged tells clients that the list is another one. The SDK does so when what is
// registered with it changes, once for all changes within 10 ms. Nobody sees or calls
// this tool.
func (v *view) toolsChanged() {
	v.changed[toolList].Add(1) // first: see sleep
	v.sdk.AddTool(&mcp.Tool{Name: "changed", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
}

// end closes the sessions of a view that is served no longer.
func (v *view) end() {
	for _, seat := range v.seats.all() {
		go seat.close() // waits for the client to read what was sent
	}
	for session := range v.sdk.Sessions() {
		go session.Close()
	}
}

// find returns a tool that a client may know of, or nil.
func (v *view) find(name string, who peer) *offer {
	o := v.shown.Load().tools[name]
	if o == nil || !v.audienceOf(who).calls(o.About()) {
		return nil
	}
	return o
}

// offer prepares a tool for its clients.
func (s *Server) offer(tool governed.Tool) (*offer, error) {
	o := &offer{Tool: tool, observed: s.observe(tool)}
	verbatim, ok := tool.(governed.Verbatim)
	if !ok {
		text, err := json.Marshal(listed(tool))
		if err != nil {
			return nil, err
		}
		o.modern, o.legacy = text, text
		return o, nil
	}
	o.modern = verbatim.Listed()
	// Clients would read a repeated member each in its own way.
	if value := jsontext.Value(o.modern); !value.IsValid() || value.Kind() != '{' || gjson.GetBytes(o.modern, "name").String() != tool.About().Name {
		return nil, fmt.Errorf("its definition is no JSON object with its name")
	}
	o.legacy = eras.Definition(o.modern)
	o.headers = paramheader.Of(json.RawMessage(gjson.GetBytes(o.modern, "inputSchema").Raw))
	return o, nil
}

// observe prepares what is reported about calls of a tool.
func (s *Server) observe(tool governed.Tool) *telemetry.Tool {
	if of, ok := tool.(interface{ Telemetry() telemetry.Upstream }); ok {
		return s.config.Telemetry.Upstream(of.Telemetry())
	}
	return s.config.Telemetry.Tool(tool)
}
