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
	// LastUsedDaysAgo is nil for a server that was never used.
	LastUsedDaysAgo *int `json:"last_used_days_ago,omitempty"`
}

// Preview is what a person sees before a server is stored.
type Preview struct {
	Matched string `json:"matched,omitempty"` // id of the catalog entry
	// Rationale has one reason for every axis, and one for the floor if any.
	Rationale map[string]string `json:"rationale"`
	// Vouched is set when the catalog has a trust signal for the server and the
	// connection proves that it is that one. See [Tool.TrustedServer].
	Vouched bool `json:"-"`
	ServerRisk
}

// PreviewRegistration looks a registration up in the catalog and scores it. A
// remote server matches by host. A stdio server matches by the program it starts;
// the reference matches it by its name, which anybody can choose.
//
// The reference treats a match by host as the catalog entry. Ours also requires TLS
// on the usual port, because only that proves the host; without it the server counts
// as TypedMatching.
func PreviewRegistration(p Profile, r Registration, catalog []servers.Entry) Preview {
	s := Server{Transport: r.Transport, URL: r.URL, Auth: r.Auth, Scopes: r.Scopes, Writes: r.Writes, Docs: NoDocsURL | DocsInadequate}
	entry, sole := match(p, r, catalog)
	found := entry.ID != ""
	if found {
		used := r.LastUsedDaysAgo
		if p == Reference {
			used = nil // there a preview counts as recently used
		}
		s.Docs = GapsOf(entry.Docs.URL, entry.Docs.Adequate, used)
		s.Signals = ParseSignals(entry.Trust)
		s.Origin = Cataloged
		if p != Reference && !(sole && proven(r)) {
			s.Origin = TypedMatching
		}
		s.Scopes = append(slices.Clone(r.Scopes), entry.Scopes()...)
		if p == Reference || r.Auth == AuthNone {
			s.Auth = CatalogAuth(p, entry.Transports[0].Auth, entry.Transports[0].Issuer)
		}
	}
	risk := ScoreServer(p, s)
	vouched := s.Origin == Cataloged && s.Signals != 0
	return Preview{Matched: entry.ID, Rationale: rationale(risk.Score, entry, found), Vouched: vouched, ServerRisk: risk}
}

// FromCatalog scores a catalog entry as if it had just been registered unchanged.
func FromCatalog(p Profile, e servers.Entry) Preview {
	r := Registration{Name: e.Name}
	if len(e.Transports) > 0 {
		t := e.Transports[0]
		r.Transport, _ = ParseTransport(t.Type)
		r.URL, r.Command, r.Args = t.URL, t.Command, t.Args
	}
	return PreviewRegistration(p, r, []servers.Entry{e})
}

// proven reports whether the connection proves that a registration is the server of
// the entry it matched.
func proven(r Registration) bool {
	if r.Transport == STDIO {
		return true // matched by program
	}
	rest, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(r.URL)), "https://")
	authority, _, _ := strings.Cut(rest, "/")
	host := hostOf(Default, r.URL)
	return ok && (authority == host || authority == host+":443")
}

// match returns the entry that covers a registration, and whether it is the only
// candidate. If several entries share a host, ours compares the path; if no path
// matches, it takes the first by id, which proves nothing.
func match(p Profile, r Registration, catalog []servers.Entry) (entry servers.Entry, sole bool) {
	host := hostOf(p, r.URL)
	var candidates []servers.Entry
	for _, e := range catalog {
		for _, t := range e.Transports {
			var covers bool
			switch {
			case r.Transport == STDIO && p == Reference:
				covers = t.Type == "stdio" && plainName(r.Name) == plainName(e.Name)
			case r.Transport == STDIO:
				covers = t.Type == "stdio" && starts(r, t)
			default:
				covers = host != "" && t.Host() == host
				if covers && p != Reference && samePath(r.URL, t.URL) {
					return e, true
				}
			}
			if covers {
				candidates = append(candidates, e)
				break
			}
		}
	}
	if len(candidates) == 0 {
		return servers.Entry{}, false
	}
	first := slices.MinFunc(candidates, func(a, b servers.Entry) int { return strings.Compare(a.ID, b.ID) })
	return first, len(candidates) == 1
}

// samePath reports whether a URL has the path of a catalog URL, in which a segment
// in braces matches any one segment.
func samePath(rawURL, template string) bool {
	have, want := segments(rawURL), segments(template)
	return slices.EqualFunc(have, want, func(h, w string) bool {
		return h == w || strings.HasPrefix(w, "{") && strings.HasSuffix(w, "}") && h != ""
	})
}

func segments(rawURL string) []string {
	_, rest, _ := strings.Cut(strings.TrimSpace(rawURL), "://")
	rest, _, _ = strings.Cut(rest, "?")
	rest, _, _ = strings.Cut(rest, "#")
	_, path, _ := strings.Cut(rest, "/")
	return strings.Split(strings.TrimRight(path, "/"), "/")
}

// plainName drops the platform that the reference appends to program names, and
// treats "Brave Search" and "Brave-Search" as equal.
func plainName(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, " ", "-"))
	for _, suffix := range []string{"-macos", "-linux", "-windows"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// starts reports whether a registration starts the program of a catalog entry:
// the same launcher, and the package as the first argument that is not a flag, in
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

// Explain draws the score and names the catalog entry it is based on.
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
