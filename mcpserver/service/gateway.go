package service

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// gatewayOptions returns the options of a gateway, without what only a running server
// adds.
func gatewayOptions(o Options, log *slog.Logger) (gateway.Options, error) {
	known, err := servers.Bundled()
	if err != nil {
		return gateway.Options{}, err
	}
	l := o.Configuration
	lookup, err := Secrets(string(l.World.Secrets), o.Place.lookup)
	return gateway.Options{
		Catalog: known, Every: l.Gateway.Watch, Scores: scans.Folder(o.Place.Scores()), Scans: scans.Local(o.Place.Scans(), scans.Folder(o.Place.Scores())), Rescan: l.Gateway.Rescan, Keys: o.Place.Keys(l), Log: log, Tell: tellRisk(log),
		Reach: upstream.Options{
			Name: "glovebox", Version: o.Version, Lookup: lookup, Resolve: o.World.Resolve, Dial: o.World.Dial, Roots: o.World.RootCAs,
			Processes: o.Processes, Homes: o.Place.homes(), Log: log,
		},
	}, err
}

// composer hands every offer of the gateway to the server's endpoints, and reports what
// is withheld.
type composer struct {
	service *Service

	mu      sync.Mutex
	names   []string // of the sets that are served
	told    map[Withheld]bool
	lost    map[string]bool   // servers that do not answer
	library map[string]string // names of tools that run here
}

// gatewayOptions completes the options of a gateway.
func (s *Service) gatewayOptions() (gateway.Options, error) {
	o, err := gatewayOptions(s.options, s.observed.Logger())
	if err != nil {
		return o, err
	}
	o.Reach.Lookup = s.lookup
	o.Updated = func(server, uri string) { s.ResourceUpdated(server, uri) }
	o.Offered, o.Taken = s.composer.offered, s.composer.taken
	return o, nil
}

// lookup finds the secrets of the configuration in effect.
func (s *Service) lookup(name string) (string, bool) {
	s.mu.Lock()
	find := s.config.Lookup
	s.mu.Unlock()
	return find(name)
}

// taken returns the names of the tools that run here.
func (c *composer) taken() map[string]string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.library
}

// keep notes the names of the tools that run here.
func (c *composer) keep(source string, names []string) (changed bool) {
	library := map[string]string{}
	for _, name := range names {
		library[name] = source
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	changed = !maps.Equal(library, c.library)
	c.library = library
	return changed
}

// offered serves an offer.
func (c *composer) offered(o *exposure.Offer) {
	s := c.service
	c.mu.Lock()
	before := c.names
	c.names = nil
	c.mu.Unlock()
	var withheld []Withheld
	for _, set := range o.Sets {
		composition := mcpserver.Composition{Sources: set.Relays}
		for _, t := range set.Tools {
			composition.Tools = append(composition.Tools, governed.Tool(t))
		}
		for _, w := range s.Compose(set.ID, composition) {
			withheld = append(withheld, Withheld{w.Name, oneLine(w.Reason)})
		}
		c.mu.Lock()
		c.names = append(c.names, set.ID)
		c.mu.Unlock()
	}
	for _, name := range before {
		if o.Set(name) == nil {
			s.Compose(name, mcpserver.Composition{})
		}
	}
	c.tellLost(o)
	c.tell(append(withheld, summary(o.Withheld)...))
}

// tellLost reports servers that do not answer any more, and those that do again.
func (c *composer) tellLost(o *exposure.Offer) {
	for _, known := range o.Servers {
		why := known.Absent
		c.mu.Lock()
		was := c.lost[known.Name]
		c.lost[known.Name] = why != ""
		c.mu.Unlock()
		switch {
		case why != "" && !was:
			c.service.say(UpstreamLost{known.Name, errors.New(why)})
		case why == "" && was:
			c.service.say(UpstreamBack{known.Name})
		}
	}
}

// manyWithheld is how many tools of one server are reported one by one for one reason.
const manyWithheld = 3

// summary is what is reported of the withheld tools: fifty tools that wait for the same
// review are one line.
func summary(all []exposure.Withheld) (short []Withheld) {
	alike := map[[3]string][]exposure.Withheld{}
	for _, w := range all {
		key := [3]string{w.Set, w.Upstream, string(w.Code)}
		alike[key] = append(alike[key], w)
	}
	done := map[[3]string]bool{}
	for _, w := range all {
		key := [3]string{w.Set, w.Upstream, string(w.Code)}
		n := len(alike[key])
		name := w.Upstream
		if w.Tool != "" {
			name += "/" + w.Tool
		}
		switch {
		case done[key]:
			continue
		case n > manyWithheld:
			done[key] = true
			name = fmt.Sprintf("%d tools of %s", n, w.Upstream)
		}
		short = append(short, Withheld{name, oneLine(w.Why + "; " + w.WayOut)})
	}
	return short
}

// tell reports what is withheld now and was not before.
func (c *composer) tell(now []Withheld) {
	c.mu.Lock()
	told := map[Withheld]bool{}
	var fresh []Withheld
	for _, w := range now {
		if !c.told[w] && !told[w] {
			fresh = append(fresh, w)
		}
		told[w] = true
	}
	c.told = told
	c.mu.Unlock()
	for _, w := range fresh {
		c.service.say(w)
	}
}

// arrange says what is served where.
func (s *Service) arrange(l *config.Loaded) {
	endpoints := mcpserver.Endpoints{Exposure: mcpserver.Exposure(l.Gateway.Mode), Default: l.Gateway.Composition, ByName: map[string]mcpserver.Exposure{}, List: mcpserver.Listing(l.Gateway.List), SearchAbove: l.Gateway.SearchAbove}
	for name, mode := range l.Gateway.Endpoints {
		endpoints.ByName[name] = mcpserver.Exposure(mode)
	}
	s.Arrange(endpoints)
	sets := make([]mcpserver.ToolSet, 0, len(l.Gateway.Clients))
	for _, name := range slices.Sorted(maps.Keys(l.Gateway.Clients)) {
		sets = append(sets, mcpserver.ToolSet(l.Gateway.Clients[name]))
	}
	s.Allot(sets)
}

// openGateway opens the gateway's part of the store.
func (k *kept) openGateway(s *Service, st *store.Store) (err error) {
	o, err := s.gatewayOptions()
	if err != nil {
		return &SetupError{err}
	}
	o.Store, o.Reach.Cluster = st, k.once
	if k.replica != nil {
		if err := s.shareScans(&o, st); err != nil {
			return err
		}
	}
	if k.gateway, err = gateway.Open(s.working, o); err != nil {
		return err
	}
	return k.gateway.Configure(s.started.Configured())
}
