// Package servers is the catalog of known MCP servers: who runs a server, how it
// is reached, which authentication and scopes it asks for, and where it is
// documented. It holds known facts, not risk; risk/mcp scores them.
//
// The bundled entries are in servers.json, described by schema.json. An operator's
// own catalog has the same form and is read by the same [Parse].
package servers

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

//go:embed servers.json
var bundled []byte

//go:embed schema.json
var schema string

// Schema returns the JSON Schema (2020-12) of a catalog.
func Schema() []byte { return []byte(schema) }

// version is the only catalog version so far.
const version = 1

// Entry is one known server.
type Entry struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	Vendor      string      `json:"vendor"` // empty when no company is behind it
	Category    string      `json:"category"`
	Description string      `json:"description"`
	Stability   string      `json:"stability"`        // ga, beta or preview
	Region      string      `json:"region,omitempty"` // the only region it works in
	Transports  []Transport `json:"transports"`       // the first one decides about authentication
	Docs        Docs        `json:"docs"`
	Trust       []string    `json:"trust"` // signal words, see risk/mcp
}

// Transport is one way to reach a server.
type Transport struct {
	Type    string   `json:"type"`              // stdio, streamable_http or sse
	URL     string   `json:"url,omitempty"`     // may hold {placeholders} in its path
	Auth    string   `json:"auth"`              // none, api_key, bearer, oauth, oauth_or_pat or oauth_custom
	Issuer  string   `json:"issuer,omitempty"`  // of the OAuth tokens
	Scopes  []string `json:"scopes,omitempty"`  // that the server asks for by default
	Command string   `json:"command,omitempty"` // of a stdio server
	Args    []string `json:"args,omitempty"`
	Package string   `json:"package,omitempty"` // the argument that names the program
	Env     []string `json:"env,omitempty"`     // variables that must be set
}

// Docs says where a server is documented and whether that is enough to judge it.
type Docs struct {
	URL      string `json:"url"`
	Adequate bool   `json:"adequate"`
}

// Hosts returns the hosts of all remote transports, in lower case.
func (e Entry) Hosts() []string {
	var hosts []string
	for _, t := range e.Transports {
		if host := t.Host(); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return hosts
}

// Scopes returns the OAuth scopes of all transports.
func (e Entry) Scopes() []string {
	var scopes []string
	for _, t := range e.Transports {
		scopes = append(scopes, t.Scopes...)
	}
	return scopes
}

// Host returns the host of a remote transport in lower case, or "".
func (t Transport) Host() string {
	if t.URL == "" {
		return ""
	}
	u, err := url.Parse(t.URL)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Bundled returns the servers that Glovebox knows, sorted by id.
func Bundled() ([]Entry, error) { return Parse(bundled) }

// Parse reads a catalog and checks what its schema says. The error names the
// first entry that is wrong and the field.
func Parse(raw []byte) ([]Entry, error) {
	var doc struct {
		Schema  string  `json:"$schema"`
		Version int     `json:"version"`
		Servers []Entry `json:"servers"`
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil {
		return nil, fmt.Errorf("server catalog: %w", err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("server catalog: something follows the object")
	}
	if doc.Version != version {
		return nil, fmt.Errorf("server catalog: /version is %d: want %d", doc.Version, version)
	}
	seen := map[string]bool{}
	for i, e := range doc.Servers {
		field, problem := check(e)
		if seen[e.ID] {
			field, problem = "id", "is used twice"
		}
		if problem != "" {
			return nil, fmt.Errorf("server catalog: /servers/%d (%s): %s %s", i, e.ID, field, problem)
		}
		seen[e.ID] = true
	}
	slices.SortFunc(doc.Servers, func(a, b Entry) int { return strings.Compare(a.ID, b.ID) })
	return doc.Servers, nil
}

var (
	stabilities = []string{"ga", "beta", "preview"}
	auths       = []string{"none", "api_key", "bearer", "oauth", "oauth_or_pat", "oauth_custom"}
)

// check returns the invalid field and the reason, or nothing.
func check(e Entry) (field, problem string) {
	switch {
	case !isID(e.ID):
		return "id", "must be lower-case letters, digits and hyphens"
	case e.Name == "" || e.Description == "" || e.Category == "":
		return "name, description and category", "must not be empty"
	case !slices.Contains(stabilities, e.Stability):
		return "stability", "must be one of " + strings.Join(stabilities, ", ")
	case len(e.Transports) == 0:
		return "transports", "must have at least one"
	}
	for i, t := range e.Transports {
		if problem := checkTransport(t); problem != "" {
			return fmt.Sprintf("transports/%d", i), problem
		}
	}
	return "", ""
}

func checkTransport(t Transport) string {
	switch {
	case !slices.Contains(auths, t.Auth):
		return "has an unknown auth: want one of " + strings.Join(auths, ", ")
	case t.Type == "stdio":
		if t.Command == "" || t.Package == "" || !slices.Contains(t.Args, t.Package) || t.URL != "" {
			return "is stdio: want a command, its args, one of them as the package, and no url"
		}
		return ""
	case t.Type != "streamable_http" && t.Type != "sse":
		return "has an unknown type: want stdio, streamable_http or sse"
	}
	// A placeholder in the host would let an entry vouch for any host.
	host := t.Host()
	if !strings.HasPrefix(t.URL, "https://") || host == "" || strings.ContainsAny(host, "{}*") || t.Command != "" {
		return "must have an https url with a fixed host and no command"
	}
	return ""
}

func isID(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}
