package score

import (
	"regexp"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/poison"
)

// The readings of the refined profile, each of one tool. How sure one is decides what
// becomes of it: certain evidence of a hard fail blocks, anything less asks for a
// review. RATIONALE.md says what a block stands for.

type reading func(*subject, *tool) (Evidence, bool)

// read fails for the tools that one of the readings is about, each with the first
// that is.
func read(readings ...reading) func(*subject) Outcome {
	return func(s *subject) Outcome {
		return s.ofTools(func(t *tool) (Evidence, bool) {
			for _, look := range readings {
				if e, hit := look(s, t); hit {
					return e, true
				}
			}
			return Evidence{}, false
		})
	}
}

// can is about tools that read as having one of the classes. agreed reports whether
// what the name says is beyond doubt; nil takes the word of the name. It is certain
// where the name, another text and the place agree: anybody may call the tool, or
// clients are told that it changes nothing and do not ask.
func can(agreed func(*tool) bool, classes ...capability.Class) reading {
	return func(s *subject, t *tool) (Evidence, bool) {
		var named, told capability.Evidence
		for _, e := range t.reading.Evidence {
			switch {
			case !slices.Contains(classes, e.Class):
			case e.Place == "/name" || e.Place == "/title":
				named = first(named, e)
			case e.Place != "/description" && (e.Class == capability.RunCode || e.Class == capability.RunShell) && !t.runsArgument():
				// What explains an argument may mention a command line. Running takes
				// something to run.
			default:
				told = first(told, e)
			}
		}
		if named.Rule == "" && told.Rule == "" {
			return Evidence{}, false
		}
		e := first(named, told)
		found := at(t.place(" "+e.Place), "reads as "+e.Class.String()+": "+quote(e.Words))
		hides := t.readOnly != nil && *t.readOnly && e.Class != capability.ReadSecret
		switch {
		case named.Rule == "":
			found.Confidence = Vague
		case told.Rule == "" || agreed != nil && !agreed(t) || !s.public && !hides:
			found.Confidence = Likely
		case hides:
			found.Text += ", and readOnlyHint says that it changes nothing"
		}
		return found, true
	}
}

// runsArgument reports whether a tool takes something that is run.
func (t *tool) runsArgument() bool {
	return slices.ContainsFunc(t.reading.Arguments, func(a capability.Argument) bool { return a.Role == capability.Command })
}

func first(a, b capability.Evidence) capability.Evidence {
	if a.Rule != "" {
		return a
	}
	return b
}

// nameHas reports whether a tool's name contains one of the words.
func nameHas(list string) func(*tool) bool {
	words := strings.Fields(list)
	return func(t *tool) bool {
		return slices.ContainsFunc(capability.Words(t.name), func(w string) bool { return slices.Contains(words, w) })
	}
}

// yieldsSecret reports whether the last noun of the name is what is handed out:
// get_secrets is, get_secret_scanning_alert is not.
func yieldsSecret(t *tool) bool {
	words := capability.Words(t.name)
	for len(words) > 1 && slices.Contains(strings.Fields("value values by id name all version"), words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return false
	}
	return slices.Contains(strings.Fields("secret secrets credential credentials password passwords key keys token tokens vault passphrase"), words[len(words)-1])
}

// placeWords name a place in a file system. A file name or an id is one within a service.
var placeWords = strings.Fields("path paths filepath dir directory folder destination")

// writesAnywhere reports whether a tool takes a path and nothing that says whose:
// a file in a repository, a bucket or a drive belongs to a service that keeps the
// last version.
func writesAnywhere(t *tool) bool {
	path := false
	for _, a := range t.reading.Arguments {
		words := capability.Words(a.Name)
		path = path || a.Role == capability.Path && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(placeWords, w) })
		for _, w := range words {
			if slices.Contains(strings.Fields("owner repo repository branch bucket project projects drive space workspace container site sha ref repo_id message page tab selector"), w) {
				return false
			}
		}
	}
	return path
}

// administers are words of a name that say whose rights or machines change.
var administers = nameHas("sudo role roles permission permissions privilege privileges admin administrator shutdown iam acl policy policies")

// obeyed are names of properties whose text a model obeys; capability knows those
// that an interpreter runs.
var obeyed = []string{"prompt", "instruction", "instructions", "system_prompt"}

func promptSurfaceRead(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		for _, f := range t.fields {
			if !f.free() || f.max >= 0 && f.max <= maxInjected {
				continue
			}
			place := strings.TrimPrefix(f.pointer, "/inputSchema")
			runs := slices.ContainsFunc(t.reading.Arguments, func(a capability.Argument) bool {
				return a.Role == capability.Command && strings.HasSuffix(a.Place, place)
			})
			if runs || slices.Contains(obeyed, strings.ToLower(f.name)) {
				e := at(t.place(" "+f.pointer), "takes any text, and something obeys it")
				if !runs { // a model of the server's, which the caller asks
					e.Confidence = Vague
				}
				return e, true
			}
		}
		return Evidence{}, false
	})
}

func notBroadRead(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		if strings.Contains(string(t.schema), `"additionalProperties":true`) && len(t.fields) == 0 {
			return at(t.place(" /inputSchema"), "any argument is valid and none is described"), true
		}
		for _, f := range t.fields {
			if f.open {
				return at(t.place(" "+f.pointer), "an object that nothing describes"), true
			}
		}
		return Evidence{}, false
	})
}

// ordered is about tools with a text that gives orders to the model. It is certain
// where the scanner is and a second class of findings agrees: of 700 honest tools one
// in 350 has a certain finding, and none has two classes.
func ordered(_ *subject, t *tool) (Evidence, bool) {
	e, hit := poisoned(t.place, t.poison)
	if hit && !slices.ContainsFunc(t.poison, func(f poison.Finding) bool { return f.Class != t.poison[0].Class }) {
		e.Confidence = Likely
	}
	return e, hit
}

// poisoned turns the most certain finding of the scanner into evidence.
func poisoned(place func(string) string, found []poison.Finding) (Evidence, bool) {
	if len(found) == 0 {
		return Evidence{}, false
	}
	worst := found[0]
	for _, f := range found {
		if f.Confidence > worst.Confidence {
			worst = f
		}
	}
	e := at(place(" "+worst.Pointer), string(worst.Class)+": "+quote(worst.Text))
	if worst.Confidence < poison.High {
		e.Confidence = Likely
	}
	return e, true
}

// harmlessURL are addresses in documentation: namespaces, examples, this machine.
var harmlessURL = regexp.MustCompile(`(?i)^(?:http|ftp|ws)://(?:localhost|127\.|0\.0\.0\.0|\[::1\]|[^/]*\bexample\.(?:com|org|net)\b|www\.w3\.org/|schemas\.|xmlns\.|purl\.org/|json-schema\.org/|[^/]*\.(?:test|invalid|localhost|local)\b|[{<$]|(?:your|my)[-_.]?)`)

// liveTag is a tag that loads or runs something, not one that a text mentions.
var liveTag = regexp.MustCompile(`(?i)<\s*(?:script\b|(?:img|iframe|svg|object|embed)\b[^>]*\b(?:src|href|data|on[a-z]+)\s*=)[^>]*`)

// injectedRead is injected without what documentation is full of.
func injectedRead(text string) string {
	if found := markup()[0].re.FindString(text); found != "" {
		return quote(found)
	}
	if strings.Contains(text, "<") {
		if found := liveTag.FindString(text); found != "" {
			return quote(found)
		}
	}
	if strings.Contains(text, "://") {
		for _, found := range markup()[2].re.FindAllString(text, maxEvidence) {
			if !harmlessURL.MatchString(found) {
				return quote(found)
			}
		}
	}
	return ""
}

func descriptionInjectionRead(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		found := injectedRead(t.description)
		return at(t.place(" /description"), found), found != ""
	})
}

func instructionsRead(s *subject) Outcome {
	if text := s.o.Hello.Instructions; text != "" {
		if e, hit := poisoned(func(string) string { return "instructions" }, acted(poison.ScanText(text, s.names))); hit {
			return failOr([]Evidence{e})
		}
	}
	return s.instructionsWith(injectedRead)
}

func entriesRead(s *subject) Outcome {
	return s.ofEntries("", func(e *entry) (Evidence, bool) {
		if ev, hit := poisoned(e.place, e.poison); hit {
			return ev, true
		}
		found := injectedRead(e.description)
		return at(e.place(" /description"), found), found != ""
	})
}

func contentsRead(s *subject) Outcome {
	return s.contentsWith(func(text string) string {
		if found := acted(poison.ScanResult(text)); len(found) > 0 {
			return string(found[0].Class) + ": " + quote(found[0].Text)
		}
		return injectedRead(text)
	})
}

// reachingSchemes make a client open something outside the server.
var reachingSchemes = strings.Fields("javascript data ftp gopher ldap ldaps dict jar php smb telnet ssh tftp")

func dangerousURIsRead(s *subject) Outcome {
	return s.resourceURIs(func(scheme string) string {
		if slices.Contains(reachingSchemes, scheme) {
			return "makes a client reach outside the server"
		}
		return ""
	})
}

// personalRead wants the word in the name or the description of a tool.
func personalRead(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		if t.words.topics&personal == 0 {
			return Evidence{}, false
		}
		v := vocabularyOf(t.name, t.description)
		return at(t.place(""), "mentions \""+v.first[personal]+"\""), v.topics&personal != 0
	})
}

func haveSchemasRead(s *subject) Outcome { return s.schemas(true) }

func uniqueElsewhereRead(s *subject) Outcome {
	return s.unique(func(other Elsewhere) bool { return other.Name == s.name })
}
