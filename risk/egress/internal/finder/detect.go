package finder

import (
	"bytes"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// nameWords are parts of the names that [classify] knows.
var nameWords = []string{"pass", "pwd", "secret", "token", "key", "auth", "cred", "cookie", "sig", "pat", "code", "mnemonic", "phrase", "hmac", "sas", "bearer", "sess", "connect.sid", "pw", "psk"}

// detectors are the finds that take more than a format. words are the strings,
// without case, at which detect is called with the place of one.
var detectors = []struct {
	words  []string
	detect func(s *scan, start, end int)
}{
	{[]string{"://"}, (*scan).uri},
	{[]string{"bearer ", "token "}, (*scan).bearer},
	{[]string{"basic "}, (*scan).basic},
	{[]string{"-----begin "}, (*scan).privateKey},
	{[]string{"curl "}, (*scan).curl},
	{commandWords(), (*scan).command},
	{[]string{"htpasswd -"}, (*scan).positional},
	{[]string{"| chpasswd", "|chpasswd"}, (*scan).piped},
	{[]string{":5432:", ":5433:", ":6432:"}, (*scan).passwordFile},
	{[]string{"otpauth://"}, (*scan).enrolment},
	{[]string{"identified by ", "with password ", "requirepass ", "convertto-securestring ", "-passin pass:", "-passout pass:", " on >"}, (*scan).statement},
	{[]string{"insert into "}, (*scan).insertion},
	{[]string{") from stdin"}, (*scan).copied},
	{logins.words(), (*scan).login},
	{argumentWords(), (*scan).argument},
	{readerWords(), (*scan).echoed},
	{codeWords, (*scan).codes},
	{[]string{"private-lines:"}, (*scan).puttyKey},
	{[]string{"\ttrue\t/", "\tfalse\t/"}, (*scan).cookieFile},
	{[]string{"*:*:*:", ":*:"}, (*scan).wildcards},
	{appWords, (*scan).appPassword},
	{[]string{"kind: secret", `kind":"secret`, `kind": "secret`}, (*scan).manifest},
}

// longestURI bounds the authority of a URI. DNS names have 253 bytes at most,
// user names and passwords are bounded by what clients accept.
const longestURI = 1024

// uri looks at the user information before the host.
func (s *scan) uri(start, end int) {
	if start == 0 || !pattern.Alnum.Has(s.text[start-1]) {
		return
	}
	at, colon := -1, -1
	limit := min(len(s.text), end+longestURI)
	for i := end; i < limit; i++ {
		switch c := s.text[i]; {
		case c == '@':
			at = i
		case c == ':' && colon < 0:
			colon = i
		case c == '/' && at < 0 && i+1 < limit && s.text[i+1] == '/':
			return // another URI begins before this one has a host
		case c <= ' ' || c == '"' || c == '\'' || c == '<' || c == '>' || c == '`' || c == '\\' || (c == '/' || c == '?' || c == '#' || c == ')' || c == ',') && at >= 0:
			limit = i
		case c == '/' && (colon < 0 || at < 0 && digitsOnly(s.text[colon+1:i])):
			limit = i // a path begins; what comes before is a host and perhaps a port
		case c == '?' || c == '&':
			limit = i
		}
	}
	if at < 0 {
		return
	}
	if colon < 0 || colon > at {
		user := s.text[end:at]
		if len(user) >= 20 && secretvalue.Mixed(user) && !secretvalue.IsDigest(user) && !secretvalue.IsUUID(user) && !secretvalue.Identifier(user) && !secretvalue.StandIn(user) {
			s.found("uri-token", end, at)
		}
		return
	}
	password := s.text[colon+1 : at]
	if len(password) > 0 && !secretvalue.StandIn(password) && !commonPassword(password) {
		s.found("uri-password", colon+1, at)
	}
}

func digitsOnly(b []byte) bool {
	for _, c := range b {
		if c < '0' || '9' < c {
			return false
		}
	}
	return len(b) > 0
}

// commonPassword reports whether documentation uses the word in place of one.
func commonPassword(value []byte) bool {
	for _, w := range [...]string{"password", "passwd", "pass", "pwd", "pw", "secret", "user", "mypassword", "yourpassword", "p", "x"} {
		if bytes.EqualFold(value, []byte(w)) {
			return true
		}
	}
	return false
}

// bearer hides the token after the word, anywhere in a text.
func (s *scan) bearer(start, end int) {
	if start > 0 && pattern.Alnum.Has(s.text[start-1]) {
		return
	}
	for end < len(s.text) && s.text[end] == ' ' && end-start < 16 {
		end++
	}
	stop := end
	for limit := min(len(s.text), end+16*longestValue); stop < limit && (pattern.Base64.Has(s.text[stop]) || s.text[stop] == '.' || s.text[stop] == '~' || s.text[stop] == '='); {
		stop++
	}
	for stop > end && s.text[stop-1] == '.' {
		stop--
	}
	value := s.text[end:stop]
	if len(value) >= 16 && len(value) <= secretvalue.LongestName && secretname.Convincing(secretname.NamesToken, value) || len(value) > secretvalue.LongestName && secretvalue.Mixed(value) {
		s.found("bearer-token", end, stop)
	}
}

// basic hides base64 that means user:password.
func (s *scan) basic(start, end int) {
	if start > 0 && pattern.Alnum.Has(s.text[start-1]) {
		return
	}
	stop := end
	for limit := min(len(s.text), end+longestValue); stop < limit && (pattern.Base64.Has(s.text[stop]) || s.text[stop] == '='); {
		stop++
	}
	value := s.text[end:stop]
	if len(value) < 8 {
		return
	}
	decoded, ok := decode.DecodeBase64(nil, value)
	if ok && bytes.IndexByte(decoded, ':') >= 0 && utf8.Valid(decoded) && printable(decoded) || secretvalue.Mixed(value) && bytes.HasSuffix(value, []byte("=")) {
		s.found("basic-credentials", end, stop)
	}
}

// printable reports whether nearly all bytes are text; a few may be anything.
func printable(text []byte) bool {
	odd := 0
	for _, c := range text {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
			odd++
		}
	}
	return odd*16 <= len(text)
}
