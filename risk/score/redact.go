package score

import (
	"encoding/json"
	"strconv"

	"github.com/glovebox-run/glovebox/risk/egress"
)

// Redaction says which secrets were replaced in an observation. The values are gone.
type Redaction struct {
	Secrets []Secret `json:"secrets,omitempty"`
}

// Secret is one replaced secret.
type Secret struct {
	Place string `json:"place"` // such as "tool list_users" or "instructions"
	Rule  string `json:"rule"`  // of the format
}

// maxSecrets bounds the list: what a hostile server repeats is cut, not stored.
const maxSecrets = 100

// redactor replaces secrets in one observation.
type redactor struct {
	sanitiser *egress.Sanitiser
	session   *egress.Session
	found     []Secret
}

// Redact returns a copy of the observation in which every secret of a known format
// is a placeholder, with the places in Redacted. Store only what it returns.
func Redact(o Observation, sanitiser *egress.Sanitiser, session *egress.Session) Observation {
	r := &redactor{sanitiser: sanitiser, session: session}
	o.Target.URL = r.text("", o.Target.URL)
	o.Target.Command = append([]string(nil), o.Target.Command...)
	for i, arg := range o.Target.Command {
		o.Target.Command[i] = r.text("", arg)
	}
	if o.Wire != nil {
		w := *o.Wire
		w.FinalURL = r.text("", w.FinalURL)
		w.Redirects = append([]Hop(nil), w.Redirects...)
		for i := range w.Redirects {
			w.Redirects[i].To = r.text("", w.Redirects[i].To)
		}
		o.Wire = &w
	}
	if o.Auth != nil {
		o.Auth = r.auth(*o.Auth)
	}
	if o.Hello != nil {
		h := *o.Hello
		h.Server = r.json("serverInfo", h.Server)
		h.Capabilities = r.json("", h.Capabilities)
		h.Instructions = r.text("instructions", h.Instructions)
		o.Hello = &h
	}
	o.Tools = r.list("tool", o.Tools)
	o.Resources = r.list("resource", o.Resources)
	o.Prompts = r.list("prompt", o.Prompts)
	o.Reads = append([]Read(nil), o.Reads...)
	for i := range o.Reads {
		o.Reads[i].URI = r.text("", o.Reads[i].URI)
		o.Reads[i].Text = r.text("content of "+o.Reads[i].URI, o.Reads[i].Text)
	}
	o.Failures = append([]Failure(nil), o.Failures...)
	for i := range o.Failures {
		o.Failures[i].Why = r.text("", o.Failures[i].Why)
	}
	o.Redacted = &Redaction{Secrets: r.found}
	return o
}

func (r *redactor) auth(a Auth) *Auth {
	a.Challenge = r.text("", a.Challenge)
	if a.Resource != nil {
		d := *a.Resource
		d.Raw = r.json("", d.Raw)
		a.Resource = &d
	}
	a.Issuers = append([]Document(nil), a.Issuers...)
	for i := range a.Issuers {
		a.Issuers[i].Raw = r.json("", a.Issuers[i].Raw)
	}
	return &a
}

// list redacts each item. A place without a name is counted from 1.
func (r *redactor) list(kind string, l Listing) Listing {
	items := make([]json.RawMessage, len(l.Items))
	for i, raw := range l.Items {
		name := r.text("", nameOf(raw))
		if name == "" {
			name = strconv.Itoa(i + 1)
		}
		items[i] = r.json(kind+" "+name, raw)
	}
	l.Items = items
	l.Error = r.text("", l.Error)
	return l
}

// note remembers what was found at a place; without one nobody asks later.
func (r *redactor) note(place string, found []egress.Finding) {
	for _, f := range found {
		if place != "" && f.Class == "credential" && len(r.found) < maxSecrets {
			r.found = append(r.found, Secret{Place: place + r.text("", f.Pointer), Rule: f.Rule})
		}
	}
}

func (r *redactor) text(place, s string) string {
	if s == "" {
		return ""
	}
	clean, out := r.sanitiser.Text(r.session, egress.Place{}, s)
	r.note(place, out.Findings)
	if out.Blocked != "" {
		return ""
	}
	return clean
}

func (r *redactor) json(place string, raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return raw
	}
	clean, out := r.sanitiser.Bytes(r.session, egress.Place{}, raw)
	r.note(place, out.Findings)
	if out.Blocked != "" || !json.Valid(clean) {
		return json.RawMessage("null")
	}
	return clean
}
