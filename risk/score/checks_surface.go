package score

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
)

const (
	maxDescription = 4096 // bytes of UTF-8; longer texts push others out of a model's context
	maxTools       = 50   // more than a person reviews, and more than models choose well among
)

func haveSchemas(s *subject) Outcome { return s.schemas(false) }

// schemas wants an input schema that says something. With no tools it passes, as
// published reports show. bare accepts an empty list of properties as the schema of
// a tool without arguments even if it does not forbid others.
func (s *subject) schemas(bare bool) Outcome {
	if !s.o.Tools.OK() {
		return notFor("tools/list did not succeed")
	}
	return failOr(s.eachTool(func(t *tool) (Evidence, bool) {
		schema := gjson.ParseBytes(t.schema)
		said := 0
		schema.ForEach(func(key, value gjson.Result) bool {
			if key.Str != "type" && key.Str != "$schema" && (key.Str != "properties" || value.Raw != "{}") && (key.Str != "additionalProperties" || !value.IsBool()) {
				said++
			}
			return true
		})
		empty := schema.Get("properties").IsObject() && (bare || schema.Get("additionalProperties").Type == gjson.False)
		return at(t.place(" /inputSchema"), "describes no arguments"), said == 0 && !empty
	}))
}

func schemasWellFormed(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		if t.schema == nil {
			return Evidence{}, false
		}
		why := malformed(t.schema)
		return at(t.place(" /inputSchema"), why), why != ""
	})
}

var broadNames = []string{"query", "command", "path", "url", "sql", "prompt", "token", "secret"}

func notBroad(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		if gjson.GetBytes(t.schema, "additionalProperties").Type == gjson.True {
			return at(t.place(" /inputSchema"), "additionalProperties is true"), true
		}
		for _, f := range t.fields {
			switch {
			case f.open:
				return at(t.place(" "+f.pointer), "an object that nothing describes"), true
			case f.free() && !f.format && slices.Contains(broadNames, strings.ToLower(f.name)):
				return at(t.place(" "+f.pointer), "any text is valid"), true
			}
		}
		return Evidence{}, false
	})
}

var safeName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_.-]{0,63}$`)

func namesSafe(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		return at("tool "+quote(t.name)+" /name", "is not a plain identifier of at most 64 characters"), !safeName.MatchString(t.name)
	})
}

func descriptionsBounded(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		return at(t.place(" /description"), fmt.Sprintf("has %d bytes; %d are the limit", len(t.description), maxDescription)), len(t.description) > maxDescription
	})
}

func walkedAll(s *subject) Outcome {
	var found []Evidence
	more := false
	for _, list := range []struct {
		name string
		l    Listing
	}{{"tools/list", s.o.Tools}, {"resources/list", s.o.Resources}, {"prompts/list", s.o.Prompts}} {
		more = more || len(list.l.Items) > 0
		if list.l.More {
			found = append(found, at(list.name, fmt.Sprintf("goes on after %s and %s", plural(list.l.Pages, "page", "pages"), plural(len(list.l.Items), "item", "items"))))
		}
	}
	if !more && len(found) == 0 {
		return notFor("nothing was listed")
	}
	return failOr(found)
}

func advertisesProtocol(s *subject) Outcome {
	if s.o.Target.Kind == List {
		return notFor("nothing was contacted")
	}
	if s.o.Hello.Protocol == "" {
		return fail("handshake", "protocolVersion is absent")
	}
	return pass()
}

func toolsListed(s *subject) Outcome {
	switch {
	case s.o.Tools.OK():
		return pass()
	case !s.o.Tools.Asked:
		return unknown("tools/list was not asked for")
	}
	return fail("tools/list", quote(s.o.Tools.Error))
}

func fewTools(s *subject) Outcome {
	if !s.o.Tools.OK() {
		return notFor("tools/list did not succeed")
	}
	if len(s.tools) > maxTools {
		return fail("tools/list", fmt.Sprintf("%d tools; %d are the limit", len(s.tools), maxTools))
	}
	return pass()
}

// SurfaceHash identifies what a server offers: name, description, input schema and
// annotations of every tool, in canonical JSON, whatever their order.
func SurfaceHash(o *Observation) string {
	all := make([]string, 0, len(o.Tools.Items))
	for _, raw := range o.Tools.Items {
		members := map[string][]byte{}
		gjson.ParseBytes(raw).ForEach(func(key, value gjson.Result) bool {
			if _, twice := members[key.Str]; !twice {
				members[key.Str] = []byte(value.Raw)
			}
			return true
		})
		form := make([]byte, 0, len(raw)+16)
		for _, member := range []string{"name", "description", "inputSchema", "annotations"} {
			part, err := catalog.Canonical(members[member])
			if err != nil {
				part = members[member] // absent, or JSON without a canonical form: the bytes decide
			}
			form = fmt.Appendf(form, "%d:%s", len(part), part)
		}
		all = append(all, string(form))
	}
	slices.Sort(all)
	h := sha256.New()
	for _, part := range all {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// DescriptionHash identifies a description across servers.
func DescriptionHash(description string) string {
	sum := sha256.Sum256([]byte(description))
	return hex.EncodeToString(sum[:])
}

// before returns the tools of the previous scan, or why there is nothing to compare.
func (s *subject) before() (map[string]tool, Outcome) {
	switch {
	case !s.o.Tools.OK():
		return nil, notFor("tools/list did not succeed")
	case s.bg.Previous == nil || !s.bg.Previous.Tools.OK():
		return nil, notFor("there is no earlier scan of this server")
	}
	all := map[string]tool{}
	for _, raw := range s.bg.Previous.Tools.Items {
		doc := gjson.ParseBytes(raw)
		t := tool{raw: raw, name: text(doc.Get("name")), description: text(doc.Get("description"))}
		all[t.name] = t
	}
	return all, Outcome{}
}

func surfaceUnchanged(s *subject) Outcome {
	if before, none := s.before(); before == nil {
		return none
	}
	if was, is := SurfaceHash(s.bg.Previous), s.hash; was != is {
		return fail("tools/list", "the surface was "+was[:12]+" and is "+is[:12])
	}
	return pass()
}

func noNewTools(s *subject) Outcome {
	before, none := s.before()
	if before == nil {
		return none
	}
	return failOr(s.eachTool(func(t *tool) (Evidence, bool) {
		_, known := before[t.name]
		return at(t.place(""), "is new since the previous scan"), !known
	}))
}

func descriptionsUnchanged(s *subject) Outcome {
	before, none := s.before()
	if before == nil {
		return none
	}
	return failOr(s.eachTool(func(t *tool) (Evidence, bool) {
		was, known := before[t.name]
		return at(t.place(" /description"), "was: "+quote(was.description)), known && was.description != t.description
	}))
}

func uniqueElsewhere(s *subject) Outcome { return s.unique(func(Elsewhere) bool { return false }) }

func (s *subject) unique(exempt func(Elsewhere) bool) Outcome {
	if s.bg.Elsewhere == nil {
		return notFor("no other scans were compared")
	}
	return s.ofTools(func(t *tool) (Evidence, bool) {
		if t.description == "" {
			return Evidence{}, false
		}
		for _, other := range s.bg.Elsewhere[DescriptionHash(t.description)] {
			if other.Identity != s.o.Target.Identity() && !exempt(other) {
				return at(t.place(" /description"), "is that of a tool of "+quote(other.Identity)), true
			}
		}
		return Evidence{}, false
	})
}

func publishedVersion(s *subject) Outcome {
	p := s.o.Published
	switch {
	case p == nil:
		return notFor("no registry was asked about this server")
	case s.version == "":
		return notFor("the server states no version")
	case p.Version == "":
		return unknown(p.Problem)
	}
	out := pass()
	// Versions of Go modules begin with a v, which their programs leave out or not.
	if strings.TrimPrefix(s.version, "v") != strings.TrimPrefix(p.Version, "v") {
		out = fail("serverInfo.version", quote(s.version)+" while "+quote(p.Version)+" is published")
	}
	out.Note = p.Registry + " was asked for " + p.Package + " at " + p.Asked.UTC().Format(time.RFC3339)
	return out
}

// commonTokens are words of a server's name that identify nobody.
var commonTokens = []string{"mcp", "server", "service", "api", "the", "official"}

func identityConsistent(s *subject) Outcome {
	switch {
	case !s.onWire() || s.url == nil:
		return notFor(notOnTheWire)
	case s.name == "":
		return notFor("the server states no name")
	}
	known := []string{strings.ToLower(s.url.Hostname())}
	if w := s.o.Wire; w != nil && w.TLS != nil {
		known = append(known, strings.ToLower(w.TLS.CN))
		for _, san := range w.TLS.SANs {
			known = append(known, strings.ToLower(san))
		}
	}
	some := false
	for _, token := range strings.FieldsFunc(strings.ToLower(s.name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if len(token) < 3 || slices.Contains(commonTokens, token) {
			continue
		}
		some = true
		if slices.ContainsFunc(known, func(k string) bool { return strings.Contains(k, token) }) {
			return pass()
		}
	}
	if !some {
		return notFor("the server's name holds no word that identifies anybody")
	}
	return fail("serverInfo.name", quote(s.name)+" appears neither in the host name nor in the certificate")
}

func haveDescriptions(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		return at(t.place(" /description"), "is empty"), strings.TrimSpace(t.description) == ""
	})
}

func noDuplicateDescriptions(s *subject) Outcome {
	first := map[string]string{}
	return s.ofTools(func(t *tool) (Evidence, bool) {
		other, dup := first[t.description]
		if !dup {
			first[t.description] = t.name
		}
		return at(t.place(" /description"), "is that of tool "+quote(other)), dup && t.description != ""
	})
}

func statesName(s *subject) Outcome    { return s.states("name", s.name) }
func statesVersion(s *subject) Outcome { return s.states("version", s.version) }

func (s *subject) states(member, value string) Outcome {
	switch {
	case s.o.Target.Kind == List && value == "":
		return notFor("nothing was contacted")
	case strings.TrimSpace(value) == "":
		return fail("handshake", "serverInfo."+member+" is absent")
	}
	return pass()
}

func notInAdvisories(s *subject) Outcome {
	switch {
	case s.bg.Advisories == nil:
		return unknown("no advisories were loaded")
	case s.name == "":
		return notFor("the server states no name")
	}
	var found []Evidence
	for _, a := range s.bg.Advisories.Match(s.name, s.version) {
		e := at("serverInfo", quote(s.name+" "+s.version)+": "+a.ID+", "+quote(a.Summary)+" ("+a.Reference()+")")
		found = append(found, e)
	}
	return failOr(found)
}
