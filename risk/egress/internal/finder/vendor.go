package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// vendor looks for the value of a rule behind the name of its vendor.
func (s *scan) vendor(rule, at, end int) {
	r := &s.engine.Rules[rule]
	var assigned, named, dull bool
	limit := min(len(s.text), end+farthestValue)
	wordStart := end
	for i := end; i <= limit && i < len(s.text); i++ {
		c := s.text[i]
		if c == '\n' || c == '\r' {
			return
		}
		if nameSet.Has(s.text[i-1]) && nameSet.Has(c) && s.text[i-1] != '.' {
			continue
		}
		if nameSet.Has(s.text[i-1]) { // a word ends here
			n, d := secretWord(s.text[wordStart:i])
			named, dull = named || n, dull || d
		}
		if c == '=' || c == ':' || c == '>' || c == '|' || c == ',' || c == '(' {
			assigned = true
		}
		if valueEnd.Has(c) || c == ':' || c == '=' && !isQuoteOrBlank(s.text[i-1]) {
			continue
		}
		wordStart = i
		if dull || !assigned && !named || s.text[i-1] == '/' {
			continue // a part of a path names a thing
		}
		if stop, ok := r.pattern.At(s.text, i, &s.runs); ok && s.vendorValue(r, s.text[i:stop], s.text[at:i], named) {
			s.add(rule, i, stop)
			return
		}
	}
}

// vendorValue reports whether a value of the right form behind a vendor's name
// is one of its secrets.
func (s *scan) vendorValue(r *compiled, value, name []byte, named bool) bool {
	if r.Identifier {
		return named || bytes.Contains(bytes.ToLower(name), []byte("id"))
	}
	if secretvalue.Identifier(value) || !secretvalue.Mixed(value) || !secretvalue.Plausible(&r.Rule, value) {
		return false
	}
	return true
}

// secretWord reports whether a word between a vendor's name and a value indicates a
// secret, or something that only looks like one.
func secretWord(word []byte) (named, dull bool) {
	var parts secretname.NameParts
	parts.Split(word)
	for i := range parts.N {
		switch string(parts.Word(i)) {
		case "key", "token", "secret", "password", "pass", "pwd", "auth", "api", "access", "credential", "credentials",
			"client", "apikey", "pat", "login", "webhook", "dsn", "hapikey", "license", "app":
			named = true
		case "sha", "sha1", "sha256", "commit", "hash", "digest", "etag", "checksum", "md5", "revision", "rev", "version",
			"release", "event", "trace", "span", "request", "build", "uuid", "guid", "page", "cursor", "image", "ref",
			"fingerprint", "integrity", "public", "pub", "publishable", "url", "uri", "count", "issue", "ticket",
			"channel", "guild", "user", "userid", "member", "team", "tenant", "workspace", "organization", "org", "node":
			dull = true
		case "id", "ids":
			if i == 0 || !credentialID(parts.Word(i-1)) {
				dull = true
			}
		}
	}
	return named, dull
}

func credentialID(before []byte) bool {
	switch string(before) {
	case "client", "access", "key", "app", "api", "consumer", "secret":
		return true
	}
	return false
}
