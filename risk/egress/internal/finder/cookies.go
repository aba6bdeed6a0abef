package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// cookies hides the values of session cookies from a position on: those whose name
// indicates a session, and those that look random. Attributes and settings stay.
func (s *scan) cookies(from, limit int) int {
	at := from
	for at < limit && s.text[at] != '\n' && s.text[at] != '\r' {
		for at < limit && (s.text[at] == ' ' || s.text[at] == ';' || s.text[at] == '"' || s.text[at] == '\'' || s.text[at] == '`' || s.text[at] == ',') {
			at++
		}
		start := at
		for at < limit && cookieName(s.text[at]) {
			at++
		}
		if at == start || at == limit || s.text[at] != '=' {
			break
		}
		name := s.text[start:at]
		at++
		value := at
		for at < limit && s.text[at] > ' ' && s.text[at] < 0x7f && s.text[at] != ';' && s.text[at] != '"' && s.text[at] != '\'' && s.text[at] != ',' && s.text[at] != '\\' && s.text[at] != '`' {
			at++
		}
		if sessionValue(name, s.text[value:at]) {
			s.found("cookie", value, at)
		}
		if at < limit && s.text[at] != ';' && s.text[at] != ',' {
			break
		}
	}
	return at
}

func cookieName(c byte) bool {
	return pattern.Alnum.Has(c) || c == '_' || c == '-' || c == '.' || c == '!' || c == '#' || c == '$' || c == '~' || c == '|'
}

// sessionWords occur in the names of cookies that authenticate their holder.
var sessionWords = [...]string{"sess", "sid", "auth", "token", "jwt", "login", "remember", "identity", "secret", "ticket", "aspx"}

// publicCookies hold no session: analytics, consent and protection against
// forged requests.
var publicCookies = [...]string{"_ga", "_gid", "_fbp", "csrf", "xsrf", "consent", "visitor", "amplitude", "ajs_", "optimizely", "_hj", "utm", "theme", "lang", "locale"}

func sessionValue(name, value []byte) bool {
	if len(value) < 8 || secretvalue.StandIn(value) {
		return false
	}
	folded := bytes.ToLower(name)
	for _, w := range publicCookies {
		if bytes.HasPrefix(folded, []byte(w)) {
			return false
		}
	}
	for _, w := range sessionWords {
		if bytes.Contains(folded, []byte(w)) {
			return len(value) >= 12 && (secretvalue.Mixed(value) && (secretvalue.Random(value) || !secretvalue.Identifier(value)) || secretvalue.Pronounced(value) < 5)
		}
	}
	return len(value) >= 20 && !secretvalue.IsUUID(value) && secretname.Convincing(secretname.NamesToken, value)
}

// header hides what follows the scheme of an Authorization header, and the
// sessions of a Cookie header.
func (s *scan) header(is secretname.Naming, from int) {
	limit := min(len(s.text), from+8*longestValue)
	end := from
	if is == secretname.NamesCookie {
		if from < s.cookieDone {
			return
		}
		s.cookieDone = s.cookies(from, limit)
		return
	}
	if s.signed(from, limit) {
		return
	}
	for _, scheme := range [...]string{"bearer", "basic", "token", "apikey", "api-key", "negotiate", "digest", "ssws", "key", "bot"} {
		if n := len(scheme); limit-from > n && bytes.EqualFold(s.text[from:from+n], []byte(scheme)) && s.text[from+n] == ' ' {
			from += n + 1
			break
		}
	}
	for end = from; end < limit && !valueEnd.Has(s.text[end]); end++ {
	}
	value := s.text[from:end]
	if len(value) >= 8 && !secretvalue.StandIn(value) && !secretvalue.Identifier(value) {
		s.found("named-secret", from, end)
	}
}

// signed hides the signature of an Authorization header that has parameters, and reports
// whether it is one: AWS4-HMAC-SHA256 Credential=..., Signature=...
func (s *scan) signed(from, limit int) bool {
	line := s.text[from:min(limit, from+longestValue)]
	if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
		line = line[:i]
	}
	scheme := bytes.IndexByte(line, ' ')
	if scheme < 0 {
		return false
	}
	sign := bytes.IndexByte(line[scheme:], '=')
	if sign < 2 || bytes.IndexByte(line[scheme+1:scheme+sign], ' ') >= 0 || scheme+sign+1 == len(line) || line[scheme+sign+1] == '=' || !shortName(line[scheme+1:scheme+sign]) {
		return false
	}
	for _, name := range [...]string{"ignature=", "response=", "oauth_token=", "mac=", "token="} {
		i := bytes.Index(line, []byte(name))
		if i < 0 {
			continue
		}
		at := from + i + len(name)
		if at < limit && isMark(s.text[at]) {
			at++
		}
		to := at
		for to < from+len(line) && !valueEnd.Has(s.text[to]) {
			to++
		}
		if to-at >= 16 {
			s.found("named-secret", at, to)
		}
	}
	return true
}

// shortName reports whether a parameter is called like one and not a padded value.
func shortName(name []byte) bool {
	const longest = 24
	for _, c := range name {
		if !pattern.Alnum.Has(c) && c != '_' {
			return false
		}
	}
	return len(name) <= longest && !secretvalue.Mixed(name)
}

// cookieFile hides the value of a session in a line of the file that curl and wget keep:
// seven fields with tabs, the last two are name and value.
func (s *scan) cookieFile(start, end int) {
	line, stop := s.line(start)
	fields := s.cells(line, stop, '\t', s.row)
	s.row = fields
	if len(fields) != 7 || end > fields[3][0] {
		return
	}
	name, value := fields[5], fields[6]
	if sessionValue(s.text[name[0]:name[1]], s.text[value[0]:value[1]]) {
		s.found("cookie", value[0], value[1])
	}
}
