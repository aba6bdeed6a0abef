package score

import (
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// The readings of HIGH rules. A certain or likely failure of one asks for a review, so
// they go by what a tool claims to do and not by what its texts mention.

// claim is how much a tool's texts say that it has one of the classes. The name or the
// title says it likely; the first sentence of its description says it vaguely, and what
// stands further on explains rather than claims: "the query is sent", "rows are
// truncated", "paid with". A HIGH rule that is vague costs points and asks for no review.
func (t *tool) claim(classes ...capability.Class) (e capability.Evidence, c Confidence) {
	for _, ev := range t.reading.Evidence {
		switch {
		case !slices.Contains(classes, ev.Class):
		case ev.Place == "/name" || ev.Place == "/title":
			return ev, Likely
		case c == "" && ev.Place == "/description" && within(ev.Words, t.opening):
			e, c = ev, Vague
		}
	}
	return e, c
}

// within reports whether all words of a text are among the words said.
func within(text string, said []string) bool {
	for word := range words(text) {
		if !slices.Contains(said, word) {
			return false
		}
	}
	return true
}

// claims fails for tools that say to have one of the classes, and are for what the check
// after that leaves. A tool that only its own user reaches and that tells clients with
// destructiveHint what it does has clients ask; that is vague, too.
func claims(left func(*tool) bool, classes ...capability.Class) func(*subject) Outcome {
	return func(s *subject) Outcome {
		return s.ofTools(func(t *tool) (Evidence, bool) {
			e, c := t.claim(classes...)
			if c == "" || left != nil && !left(t) {
				return Evidence{}, false
			}
			if s.o.Target.Kind != List && !s.public && t.destructive != nil && *t.destructive {
				c = Vague
			}
			found := at(t.place(" "+e.Place), "reads as "+e.Class.String()+": "+quote(e.Words))
			found.Confidence = c
			return found, true
		})
	}
}

// messages and recipients are what makes sending one to somebody: keys are sent and ports
// are forwarded as well.
var (
	messageWords   = setOf("message messages mail mails email emails sms mms notification notifications notify invite invitation invitations post reply comment tweet letter fax chat dm broadcast announcement alert slack telegram whatsapp discord money invoice certificate report reminder newsletter gift card")
	recipientWords = setOf("to recipient recipients cc bcc channel channels phone email chat room receiver addressee contact contacts user audience")
)

// sendsToSomebody reports whether a tool that reads as sending names a message or takes
// somebody who gets it.
func sendsToSomebody(t *tool) bool {
	if slices.ContainsFunc(t.named, func(w string) bool { return messageWords[w] }) || slices.ContainsFunc(capability.Words(t.name), func(w string) bool { return messageWords[w] }) {
		return true
	}
	return slices.ContainsFunc(t.fields, func(f field) bool {
		return slices.ContainsFunc(capability.Words(f.name), func(w string) bool { return recipientWords[w] })
	})
}

// requesting are the verbs of tools that request an address they are given, and
// addresses the last words of arguments that hold one. A link that is stored, and the
// address of a picture on a page, are not requested.
var (
	requesting = setOf("fetch get read load open visit navigate goto browse crawl scrape extract download request map call ping import analyze summarize screenshot render convert check test proxy tab page web url http api webhook")
	addresses  = setOf("url urls uri uris website link href address webpage endpoint webhook")
	asked      = setOf("webhook callback target remote") // addresses that are requested whatever the tool is called
)

// sendsSomewhere fails for tools that request an address of the caller's choice.
func sendsSomewhere(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		if !t.reading.Has(capability.Fetch) {
			return Evidence{}, false
		}
		e, named := t.claim(capability.Fetch)
		verb := named != "" || slices.ContainsFunc(capability.Words(t.name), func(w string) bool { return requesting[w] })
		for _, f := range t.fields {
			parts := capability.Words(f.name)
			top := strings.Count(f.pointer, "/") == strings.Count("/inputSchema/properties/x", "/")
			if !top || len(parts) == 0 || !addresses[parts[len(parts)-1]] || f.listed {
				continue
			}
			if verb || slices.ContainsFunc(parts, func(w string) bool { return asked[w] }) {
				if named == "" {
					e = t.reading.Why(capability.Fetch)
				}
				return at(t.place(" "+f.pointer), "requests an address that is given: "+quote(e.Words)), true
			}
		}
		return Evidence{}, false
	})
}

// declaresDestructiveRead leaves tools that only add alone: the protocol says that
// adding is not destructive.
func declaresDestructiveRead(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		_, c := t.claim(grave...)
		return at(t.place(" /annotations"), "destructiveHint is not true although the tool reads as destructive"),
			c != "" && (t.destructive == nil || !*t.destructive)
	})
}

var (
	// grave is what a hint that denies it would be a lie about, wherever the tool says it.
	grave = []capability.Class{capability.Delete, capability.Destroy, capability.Pay, capability.RunCode, capability.RunShell, capability.RunSQL}
	// changing is what a tool that only reads does not do. A name says it; descriptions
	// of reading are full of what was written.
	changing = append([]capability.Class{capability.Change, capability.WriteFile, capability.Actuate, capability.Grant, capability.Send}, grave...)
)

// annotationsRead compares the hints with what the name of a tool says, and with what
// the first sentence of its description says of grave things.
func annotationsRead(s *subject) Outcome {
	return s.ofTools(func(t *tool) (Evidence, bool) {
		readOnly, destructive := t.readOnly != nil && *t.readOnly, t.destructive != nil && *t.destructive
		harmless := t.destructive != nil && !*t.destructive
		if readOnly && destructive {
			return at(t.place(" /annotations"), "readOnlyHint and destructiveHint are both true"), true
		}
		e, c := t.claim(grave...)
		if c == Vague && verbOf(t.name, "") == ReadVerb && e.Class == capability.RunSQL {
			c = "" // a query that reads
		}
		if readOnly && c == "" {
			if e, c = t.claim(changing...); c == Vague || e.Class == capability.Change && verbOf(t.name, "") != WriteVerb {
				c = "" // to open, to select or to show changes what is seen
			}
		}
		if c == "" || !readOnly && !harmless {
			return Evidence{}, false
		}
		hint := "readOnlyHint is true"
		if !readOnly {
			hint = "destructiveHint is false"
		}
		found := at(t.place(" /annotations"), hint+" and the tool reads as "+e.Class.String()+": "+quote(e.Words))
		found.Confidence = Likely
		return found, true
	})
}
