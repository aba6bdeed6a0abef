package mcp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog/servers"
)

// Registration is a server that a person is about to register.
type Registration struct {
	Name      string    `json:"name"`
	Transport Transport `json:"transport"`
	URL       string    `json:"url"`
	Command   string    `json:"command"` // of a stdio server
	Args      []string  `json:"args"`
	Auth      Auth      `json:"auth"`
	Scopes    []string  `json:"oauth_scopes"`
	Writes    bool      `json:"write_capability"`
}

// Preview is what a person sees before a server is stored.
type Preview struct {
	Matched string `json:"matched,omitempty"` // id of the catalog entry
	// Rationale has one reason for every axis, and one for the floor if any.
	Rationale map[string]string `json:"rationale"`
	ServerRisk
}

// PreviewRegistration looks a registration up in the catalog and scores it. A
// remote server matches by host. A stdio server matches by the program it starts;
// the reference goes by its name, which anybody can choose.
//
// To the reference a match by host is the catalog entry. Ours wants TLS on the
// usual port as well, because only that proves the host; without it the server
// is a typed one that matches.
func PreviewRegistration(p Profile, r Registration, catalog []servers.Entry) Preview {
	s := Server{Transport: r.Transport, URL: r.URL, Auth: r.Auth, Scopes: r.Scopes, Writes: r.Writes, Docs: NoDocsURL | DocsInadequate}
	entry, found := match(p, r, catalog)
	if found {
		s.Docs = GapsOf(entry.Docs.URL, entry.Docs.Adequate, nil)
		s.Signals = ParseSignals(entry.Trust)
		s.Origin = Cataloged
		if p != Reference && !proven(r) {
			s.Origin = TypedMatching
		}
		s.Scopes = append(slices.Clone(r.Scopes), entry.Scopes()...)
		if p == Reference || r.Auth == AuthNone {
			s.Auth = CatalogAuth(p, entry.Transports[0].Auth, entry.Transports[0].Issuer)
		}
	}
	risk := ScoreServer(p, s)
	return Preview{Matched: entry.ID, Rationale: rationale(risk.Score, entry, found), ServerRisk: risk}
}

// FromCatalog scores a catalog entry as it stands, freshly registered.
func FromCatalog(p Profile, e servers.Entry) Preview {
	r := Registration{Name: e.Name}
	if len(e.Transports) > 0 {
		t := e.Transports[0]
		r.Transport, _ = ParseTransport(t.Type)
		r.URL, r.Command, r.Args = t.URL, t.Command, t.Args
	}
	return PreviewRegistration(p, r, []servers.Entry{e})
}

// proven reports whether the way a registration is reached proves that it is the
// server of the entry it matched.
func proven(r Registration) bool {
	if r.Transport == STDIO {
		return true // matched by program
	}
	rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(r.URL)), "https://")
	authority, _, _ := strings.Cut(rest, "/")
	host := hostOf(Default, r.URL)
	return ok && (authority == host || authority == host+":443")
}

func match(p Profile, r Registration, catalog []servers.Entry) (servers.Entry, bool) {
	host := hostOf(p, r.URL)
	for _, e := range catalog {
		for _, t := range e.Transports {
			switch {
			case r.Transport == STDIO && p == Reference:
				if t.Type == "stdio" && plainName(r.Name) == plainName(e.Name) {
					return e, true
				}
			case r.Transport == STDIO:
				if t.Type == "stdio" && starts(r, t) {
					return e, true
				}
			case host != "" && t.Host() == host:
				return e, true
			}
		}
	}
	return servers.Entry{}, false
}

// plainName drops the platform that the reference appends to names of programs,
// and reads "Brave Search" and "Brave-Search" as one.
func plainName(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, " ", "-"))
	for _, suffix := range []string{"-macos", "-linux", "-windows"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// starts reports whether a registration starts the program of a catalog entry:
// the same launcher, and the package as the first argument that is no flag, at
// any version.
func starts(r Registration, t servers.Transport) bool {
	if r.Command != t.Command {
		return false
	}
	for _, arg := range r.Args {
		if strings.HasPrefix(arg, "-") {
			// Flags such as --from or -p make the launcher run something else.
			if arg != "-y" && arg != "--yes" {
				return false
			}
			continue
		}
		rest, ok := strings.CutPrefix(arg, t.Package)
		return ok && (rest == "" || rest[0] == '@' || strings.HasPrefix(rest, "=="))
	}
	return false
}

// Explain draws the score, and says which catalog entry it rests on.
func (p Preview) Explain() string {
	if p.Matched == "" {
		return p.Score.Explain() + "  no catalog entry matches\n"
	}
	return p.Score.Explain() + "  catalog entry: " + p.Matched + "\n"
}

func rationale(s Score, entry servers.Entry, found bool) map[string]string {
	reasons := map[string]string{}
	for _, a := range s.Axes {
		var why []string
		for _, d := range a.Drivers {
			why = append(why, d.Why)
		}
		reasons[a.Name] = fmt.Sprintf("%s (%d)", strings.Join(why, "; "), a.Points)
	}
	if found {
		reasons["trust"] = "catalog entry " + entry.ID + ": " + reasons["trust"]
	}
	if s.Floor.Tripped() {
		reasons["floor"] = s.Floor.ID + ": " + s.Floor.Why
	}
	return reasons
}
