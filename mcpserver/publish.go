package mcpserver

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/glovebox-run/glovebox/mcpserver/relay"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Withheld names a tool that is not offered and the reason, for the operator.
type Withheld struct{ Name, Reason string }

// Exposure says which tools an endpoint serves.
type Exposure string

// The exposures. The zero value is [Builtin].
const (
	Builtin  Exposure = "builtin"  // the library and our own tools
	Composed Exposure = "composed" // those of other servers, as composed by the operator
	Both     Exposure = "both"
)

// Endpoints say what is served where. The zero value serves the builtin tools at /mcp
// and at /mcp/builtin, and no composition.
type Endpoints struct {
	// Exposure is that of /mcp, and of every composition that ByName does not name.
	Exposure Exposure
	// Default is the composition that /mcp serves; empty for none.
	Default string
	// ByName are the exposures of compositions at /mcp/NAME. One that exposes only what
	// is builtin is not served.
	ByName map[string]Exposure
	// List is how endpoints list their tools, and ListByName that of single ones, by the
	// name below /mcp/; /mcp itself has the empty name.
	List       Listing
	ListByName map[string]Listing
	// SearchAbove is the number of tools above which [ListSearch] searches; 0 means
	// [DefaultSearchAbove].
	SearchAbove int
}

// above returns the number of tools above which an endpoint searches; 0 means never.
func (e *Endpoints) above(name string) int {
	list, own := e.ListByName[name]
	if !own {
		list = e.List
	}
	if list != ListSearch {
		return 0
	}
	return cmp.Or(max(0, e.SearchAbove), DefaultSearchAbove)
}

// Composition is a set of other servers' tools that is served together, and what else
// is relayed with it.
type Composition struct {
	Tools   []governed.Tool
	Sources []relay.Source
}

// mainView is the name of what /mcp serves, and builtinView of what /mcp/builtin does.
const (
	mainView    = ""
	builtinView = "builtin"
)

// content is what there is to serve, and the views of it.
type content struct {
	changing     sync.Mutex // held while views are updated
	sources      []string   // of builtin tools, in the order in which they came
	builtin      map[string][]governed.Tool
	compositions map[string]Composition
	endpoints    Endpoints

	mu    sync.Mutex
	views map[string]*view
}

// all returns the views.
func (c *content) all() []*view {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Collect(maps.Values(c.views))
}

// view returns the view with a name, or nil.
func (c *content) view(name string) *view {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.views[name]
}

// Publish replaces the builtin tools of a source, all at once, and returns those whose
// name a source that came earlier uses. Clients are notified if the list changed.
func (s *Server) Publish(source string, tools []governed.Tool) []Withheld {
	c := &s.content
	c.changing.Lock()
	defer c.changing.Unlock()
	if !slices.Contains(c.sources, source) {
		c.sources = append(c.sources, source)
	}
	if c.builtin == nil {
		c.builtin = map[string][]governed.Tool{}
	}
	c.builtin[source] = slices.Clone(tools)
	return s.arrange(func(of string) bool { return of == source })
}

// Compose replaces the composition with a name, and returns the tools that an endpoint
// cannot offer. A composition without tools and sources is no more.
func (s *Server) Compose(name string, composition Composition) []Withheld {
	c := &s.content
	c.changing.Lock()
	defer c.changing.Unlock()
	if c.compositions == nil {
		c.compositions = map[string]Composition{}
	}
	delete(c.compositions, name)
	if len(composition.Tools)+len(composition.Sources) > 0 {
		c.compositions[name] = composition
	}
	of := map[string]bool{}
	for _, tool := range composition.Tools {
		of[tool.About().Source] = true
	}
	for _, source := range composition.Sources {
		of[source.Name] = true
	}
	return s.arrange(func(source string) bool { return of[source] })
}

// Arrange sets what is served where, and returns the tools that an endpoint cannot
// offer. An endpoint that is served no longer ends its sessions.
func (s *Server) Arrange(endpoints Endpoints) []Withheld {
	c := &s.content
	c.changing.Lock()
	defer c.changing.Unlock()
	c.endpoints = endpoints
	c.endpoints.ByName, c.endpoints.ListByName = maps.Clone(endpoints.ByName), maps.Clone(endpoints.ListByName)
	return s.arrange(func(string) bool { return true })
}

// arrange updates the views, and returns the withheld tools of some sources, each once.
// changing must be held.
func (s *Server) arrange(of func(source string) bool) (withheld []Withheld) {
	c := &s.content
	wanted := c.wanted()
	var gone []*view
	c.mu.Lock()
	for name, v := range c.views {
		if _, stays := wanted[name]; !stays {
			gone = append(gone, v)
			delete(c.views, name)
		}
	}
	for name := range wanted {
		if c.views[name] == nil {
			c.views[name] = s.newView(name)
		}
	}
	c.mu.Unlock()
	for _, v := range gone {
		v.end()
	}
	had := false
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		v := c.view(name)
		for _, w := range v.update(wanted[name], c.endpoints.above(name)) {
			if of(w.source) && !slices.Contains(withheld, w.Withheld) {
				withheld = append(withheld, w.Withheld)
			}
		}
		had = had || v.published.Len() > 0
	}
	if had {
		s.hadTools.Store(true)
	}
	return withheld
}

// wanted returns what each view serves. changing must be held.
func (c *content) wanted() map[string]Composition {
	var builtin []governed.Tool
	for _, source := range c.sources {
		builtin = append(builtin, c.builtin[source]...)
	}
	serve := func(exposure Exposure, composition Composition) (all Composition) {
		if exposure != Composed {
			all.Tools = slices.Clone(builtin)
		}
		if exposure == Composed || exposure == Both {
			all.Tools = append(all.Tools, composition.Tools...)
			all.Sources = composition.Sources
		}
		return all
	}
	wanted := map[string]Composition{
		mainView:    serve(c.endpoints.Exposure, c.compositions[c.endpoints.Default]),
		builtinView: serve(Builtin, Composition{}),
	}
	for name, composition := range c.compositions {
		exposure, own := c.endpoints.ByName[name]
		if !own {
			exposure = c.endpoints.Exposure
		}
		if name != builtinView && name != mainView && (exposure == Composed || exposure == Both) {
			wanted[name] = serve(exposure, composition)
		}
	}
	return wanted
}

// Offered returns the tools that are offered at any endpoint, each once, by name.
func (s *Server) Offered() []governed.Tool {
	seen := map[governed.Tool]bool{}
	var all []governed.Tool
	for _, v := range s.content.all() {
		for _, o := range v.shown.Load().tools {
			if !seen[o.Tool] {
				seen[o.Tool] = true
				all = append(all, o.Tool)
			}
		}
	}
	slices.SortFunc(all, func(a, b governed.Tool) int {
		return cmp.Or(cmp.Compare(a.About().Name, b.About().Name), cmp.Compare(a.About().Source, b.About().Source))
	})
	return all
}

// ToolsAt returns how many tools each endpoint offers, by the name below /mcp/; /mcp has
// the empty name.
func (s *Server) ToolsAt() map[string]int {
	c := &s.content
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make(map[string]int, len(c.views))
	for name, v := range c.views {
		all[name] = len(v.shown.Load().tools)
	}
	return all
}

// Tools returns how many tools are offered at /mcp and all other endpoints, each once.
func (s *Server) Tools() int {
	tools := map[governed.Tool]bool{}
	for _, v := range s.content.all() {
		for _, o := range v.shown.Load().tools {
			tools[o.Tool] = true
		}
	}
	return len(tools)
}
