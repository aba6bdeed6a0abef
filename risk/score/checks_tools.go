package score

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// mentions fails for every tool whose name, description or schema has a keyword.
func mentions(of topic) func(*subject) Outcome {
	return func(s *subject) Outcome {
		return s.ofTools(func(t *tool) (Evidence, bool) {
			return at(t.place(""), "mentions \""+t.words.first[of]+"\""), t.words.topics&of != 0
		})
	}
}

func sendsMessages(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		return at(t.place(""), fmt.Sprintf("mentions %q and %q", t.words.first[sending], t.words.first[messages])),
			t.words.topics&sending != 0 && t.words.topics&messages != 0
	})
}

func reachesNetwork(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		if t.words.topics&network != 0 {
			return at(t.place(""), "mentions \""+t.words.first[network]+"\""), true
		}
		for _, f := range t.fields {
			if f.free() && slices.Contains([]string{"url", "uri", "host", "hostname"}, strings.ToLower(f.name)) {
				return at(t.place(" "+f.pointer), "any address is valid"), true
			}
		}
		return Evidence{}, false
	})
}

// promptLike are names of properties whose text a model or an interpreter obeys.
var promptLike = []string{"prompt", "query", "command", "sql", "instruction", "message"}

// maxInjected is the longest text, in characters, that counts as bounded: the
// published limit.
const maxInjected = 200

func promptSurface(s *subject) Outcome {
	return s.eachField(func(f field) bool {
		return f.free() && (f.max < 0 || f.max > maxInjected) && slices.Contains(promptLike, strings.ToLower(f.name))
	}, "any text of any length is valid")
}

// eachField fails for every tool that has such a property, with the first one.
func (s *subject) eachField(bad func(field) bool, why string) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		if i := slices.IndexFunc(t.fields, bad); i >= 0 {
			return at(t.place(" "+t.fields[i].pointer), why), true
		}
		return Evidence{}, false
	})
}

var overriding = regexp.MustCompile(`(?i)\b(?:ignore|disregard|forget)\b[^.\n]{0,40}\b(?:previous|prior)\b[^.\n]{0,40}\b(?:instructions?|context|rules?)\b`)

// wording is an expression that is only tried on texts with its plain word, because most
// texts have none.
type wording struct {
	word string
	re   *regexp.Regexp
}

// The four kinds of sentences that take over a model. Like markup it is compiled for the first
// server that is scored, as most commands score none.
var manipulations = sync.OnceValue(func() []wording {
	return []wording{
		{"<", regexp.MustCompile(`(?i)<\s*/?\s*(?:important|system|instructions?)\s*>`)},
		{"previous", overriding},
		{"prior", overriding},
		{"act as", regexp.MustCompile(`(?i)\bact as\s+(?:an?\s+|the\s+)?(?:admin(?:istrator)?|system|root|operator)\b`)},
		{"pretend", regexp.MustCompile(`(?i)\bpretend\s+(?:to be\s+|you are\s+)?(?:an?\s+|the\s+)?(?:admin(?:istrator)?|system|root|operator)\b`)},
		{"://", regexp.MustCompile(`(?i)\b(?:send|forward|transmit|post|upload)\b[^.\n]{0,80}\bto\s+https?://`)},
	}
})

func manipulation(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		lower := strings.ToLower(t.description)
		for _, m := range manipulations() {
			if strings.Contains(lower, m.word) {
				if text := m.re.FindString(t.description); text != "" {
					return at(t.place(" /description"), quote(text)), true
				}
			}
		}
		return Evidence{}, false
	})
}

// Markup that does something when a client renders a text.
var markup = sync.OnceValue(func() []wording {
	return []wording{
		{":", regexp.MustCompile(`(?i)\]\(\s*(?:javascript|data):[^)]*`)},
		{"<", regexp.MustCompile(`(?i)<\s*(?:script|img|iframe|svg|object|embed)\b[^>]*`)},
		{"://", regexp.MustCompile(`(?i)\b(?:http|ftp|ws)://[^\s"'<>)\]]*`)},
	}
})

// injected returns the first passage with markup, or "".
func injected(text string) string {
	for _, m := range markup() {
		if strings.Contains(text, m.word) {
			if found := m.re.FindString(text); found != "" {
				return quote(found)
			}
		}
	}
	return ""
}

func descriptionInjection(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		found := injected(t.description)
		return at(t.place(" /description"), found), found != ""
	})
}

func instructionsInjection(s *subject) Outcome { return s.instructionsWith(injected) }

func (s *subject) instructionsWith(look func(string) string) Outcome {
	if s.o.Hello.Instructions == "" {
		return notFor("the server sends no instructions")
	}
	if found := look(s.o.Hello.Instructions); found != "" {
		return fail("instructions", found)
	}
	return pass()
}

func entryInjection(s *subject) Outcome {
	return s.ofEntries("", func(e *entry) (Evidence, bool) {
		found := injected(e.description)
		if e.kind == "resource" && found == "" {
			found = injected(e.name)
		}
		return at(e.place(" /description"), found), found != ""
	})
}

// ofEntries is the outcome of a rule about resources, prompts, or both.
func (s *subject) ofEntries(kind string, look func(*entry) (Evidence, bool)) Outcome {
	var found []Evidence
	seen := false
	for i := range s.others {
		if e := &s.others[i]; kind == "" || e.kind == kind {
			seen = true
			if ev, hit := look(e); hit {
				found = append(found, ev)
			}
		}
	}
	if !seen {
		return notFor("the server lists none")
	}
	return failOr(found)
}

func contentInjection(s *subject) Outcome { return s.contentsWith(injected) }

func (s *subject) contentsWith(look func(string) string) Outcome {
	var found []Evidence
	seen := false
	for _, r := range s.o.Reads {
		if r.Error != "" {
			continue
		}
		seen = true
		if text := look(r.Text); text != "" {
			found = append(found, at("content of "+quote(r.URI), text))
		}
	}
	if !seen {
		return notFor("no resource was read")
	}
	return failOr(found)
}

// commonSchemes are those that the classic profile does not call uncommon.
var commonSchemes = []string{"https", "git", "urn", "ui", "mcp", "resource", "docs"}

func dangerousURIs(s *subject) Outcome {
	return s.resourceURIs(func(scheme string) string {
		if slices.Contains(commonSchemes, scheme) {
			return ""
		}
		return "the scheme " + quote(scheme) + " is uncommon"
	})
}

// resourceURIs fails for resources that make a client read files or internal hosts,
// and for schemes for which odd has an objection.
func (s *subject) resourceURIs(odd func(scheme string) string) Outcome {
	return s.ofEntries("resource", func(e *entry) (Evidence, bool) {
		u, err := url.Parse(e.uri)
		if err != nil || u.Scheme == "" {
			return at(e.place(" /uri"), "is no URI"), true
		}
		why := ""
		switch scheme := strings.ToLower(u.Scheme); {
		case scheme == "file":
			why = "names a local file"
		case scheme == "http":
			why = "is plain http"
		case metadataHosts[strings.ToLower(u.Hostname())]:
			why = "is the metadata service of a cloud"
		case privateHost(u.Hostname()) != "":
			why = "points to " + privateHost(u.Hostname())
		default:
			why = odd(scheme)
		}
		return at(e.place(" /uri"), quote(e.uri)+" "+why), why != ""
	})
}

func annotationsConsistent(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		readOnly, destructive := t.readOnly != nil && *t.readOnly, t.destructive != nil && *t.destructive
		harmless := t.destructive != nil && !*t.destructive
		switch {
		case readOnly && destructive:
			return at(t.place(" /annotations"), "readOnlyHint and destructiveHint are both true"), true
		case readOnly && (t.verb == DestructiveVerb || t.verb == WriteVerb):
			return at(t.place(" /annotations"), "readOnlyHint is true and the tool reads as "+string(t.verb)), true
		case harmless && t.verb == DestructiveVerb:
			return at(t.place(" /annotations"), "destructiveHint is false and the tool reads as destructive"), true
		}
		return Evidence{}, false
	})
}

func declaresDestructive(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		changes := t.verb == DestructiveVerb || t.verb == WriteVerb || t.words.topics&finance != 0
		return at(t.place(" /annotations"), "destructiveHint is not true although the tool reads as "+string(t.verb)),
			changes && (t.destructive == nil || !*t.destructive)
	})
}

func activeProbe(s *subject) Outcome {
	switch {
	case s.o.Active == nil:
		return notFor("the active probe did not run")
	case len(s.o.Active.Calls) == 0:
		return notFor("no tool met the conditions of the active probe")
	}
	var found []Evidence
	for _, c := range s.o.Active.Calls {
		if c.Error != "" {
			found = append(found, at("tool "+c.Tool, quote(c.Error)))
		}
	}
	return failOr(found)
}
