package exposure

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/definition"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/risk/poison"
)

// source is a [Source] whose definitions are read.
type source struct {
	*Source
	*definition.List
	preview mcp.Preview
	memo    *definition.Memo
	company *definition.Company
	risks   map[string]mcp.ComposedRisk
	reports map[*definition.Definition]poison.Report
}

// sources reads the definitions of every source, and puts sources in order of age.
func (a *admission) sources() {
	a.byName = map[string]*source{}
	for i := range a.Sources {
		s := &source{Source: &a.Sources[i], List: &definition.List{}, memo: a.Memo, company: &a.company, risks: map[string]mcp.ComposedRisk{}, reports: map[*definition.Definition]poison.Report{}}
		// Nothing counts that was kept of a server which is not enabled.
		if s.Surface != nil && s.State == Enabled {
			s.List = a.Memo.List(s.Name(), s.Surface.Tools)
		}
		for _, d := range s.Definitions {
			if d.Name != "" {
				a.company.Add(s.Name(), d.Name)
			}
		}
		s.preview = PreviewOf(s.Registration, s.writes(), s.LastUsed, a.Now, a.Catalog)
		a.order = append(a.order, s)
		a.byName[s.Name()] = s
	}
	for name, of := range a.Taken {
		a.company.Add("source "+of, name) // no server's name has a space
	}
	slices.SortStableFunc(a.order, func(x, y *source) int {
		return cmp.Or(x.Added.Compare(y.Added), strings.Compare(x.Name(), y.Name()))
	})
}

func (s *source) writes() bool {
	return slices.ContainsFunc(s.Definitions, func(d *definition.Definition) bool { return d.Writes })
}

// known returns the tools that the server lists, and those that were accepted and that
// it lists no more, sorted.
func (s *source) known(pins ledger.Pins) []string {
	var names []string
	for name := range s.ByName {
		names = append(names, name)
	}
	for _, pin := range pins.All(s.Name()) {
		if s.ByName[pin.Tool] == nil && pin.Accepted.Hash != "" {
			names = append(names, pin.Tool)
		}
	}
	slices.Sort(names)
	return names
}

// riskOf returns the composed risk of a tool.
func (s *source) riskOf(d *definition.Definition) mcp.ComposedRisk {
	r, known := s.risks[d.Name]
	if !known {
		r = mcp.Compose(mcp.Default, s.preview.ServerRisk, d.Risk(s.preview.Vouched))
		s.risks[d.Name] = r
	}
	return r
}

// report is what the poisoning scanner finds in a definition.
func (s *source) report(d *definition.Definition) poison.Report {
	r, known := s.reports[d]
	if !known {
		r = s.memo.Scan(d, s.List, s.company)
		s.reports[d] = r
	}
	return r
}

// sightings are the tools for the ledger: all that could be offered.
func (s *source) sightings() []ledger.Sighting {
	var all []ledger.Sighting
	for _, d := range s.Definitions {
		if d.Fault == "" && !s.Twice[d.Name] {
			all = append(all, ledger.Sighting{Tool: d.Name, Raw: d.Raw, Ours: d.Ours, Reference: d.Reference, ReadsLikeOrder: s.report(d).Flagged()})
		}
	}
	return all
}

// Sightings returns what the ledger is told of one server: the tools that it lists and
// that could be offered.
func Sightings(in Admission, server string) []ledger.Sighting {
	a := &admission{Admission: in}
	if a.Memo == nil {
		a.Memo = &definition.Memo{}
	}
	a.sources()
	if s := a.byName[server]; s != nil {
		return s.sightings()
	}
	return nil
}

// worst returns the finding that counts most, in words.
func worst(r poison.Report) string {
	var w *poison.Finding
	for i := range r.Findings {
		if w == nil || r.Findings[i].Confidence > w.Confidence {
			w = &r.Findings[i]
		}
	}
	if w == nil {
		return "nothing"
	}
	return string(w.Class) + " at " + cmp.Or(w.Pointer, "/") + ": " + w.Why
}

// PreviewOf scores a registration as it would be connected. writes says that its tools,
// as far as they are known, change something.
func PreviewOf(g Registration, writes bool, lastUsed, now time.Time, catalog []servers.Entry) mcp.Preview {
	c := g.Config
	r := mcp.Registration{Name: c.Name, URL: c.URL, Writes: writes}
	switch c.Kind {
	case "stdio":
		r.Transport = mcp.STDIO
		if len(c.Command) > 0 {
			r.Command, r.Args = c.Command[0], c.Command[1:]
		}
	case "sse":
		r.Transport = mcp.SSE
	default:
		r.Transport = mcp.StreamableHTTP
	}
	connection, err := json.Marshal(map[string]any{"url": c.URL, "headers": c.Headers})
	if err == nil {
		r.Auth, _ = mcp.ConnectionAuth(mcp.Default, connection)
	}
	if !c.Auth.IsZero() {
		r.Auth = mcp.AuthOAuthStandard
	}
	if !lastUsed.IsZero() {
		days := int(now.Sub(lastUsed) / (24 * time.Hour))
		r.LastUsedDaysAgo = &days
	}
	return mcp.PreviewRegistration(mcp.Default, r, catalog)
}
