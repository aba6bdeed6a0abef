package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// expanded reports whether a name is that of a variable that is filled in: ${NAME}, with or
// without a default.
func (s *scan) expanded(start int) bool {
	return start >= 2 && s.text[start-1] == '{' && s.text[start-2] == '$'
}

// fallback hides the value that a variable has if it is not set: ${NAME:-value}.
func (s *scan) fallback(end int, name []byte) {
	rest := s.text[end:]
	if len(rest) < 3 || rest[0] != ':' || rest[1] != '-' && rest[1] != '=' {
		return
	}
	from := end + 2
	if isMark(s.text[from]) {
		from++
	}
	from, to := s.value(from)
	is := secretname.Classify(name)
	if is == secretname.NamesPassword || is == secretname.NamesSecret || is == secretname.NamesToken {
		if s.believes(link{how: assigned}, is, name, from, to) {
			s.found(ruleOf(is, false), from, to)
		}
	}
}

// usedAs hides the value that stands before its name: "use ... as the database password",
// "... is the new password".
func (s *scan) usedAs(start int, name []byte, is secretname.Naming) bool {
	before := s.text[max(0, start-longestHeading):start]
	at := bytes.Index(before, []byte(" as "))
	if at < 0 {
		at = bytes.Index(before, []byte(" is the "))
	}
	if at <= 0 || bytes.ContainsAny(before[at:], ".,;:\n=") {
		return false
	}
	to := start - len(before) + at
	from := to
	for from > 0 && to-from < longestValue && s.text[from-1] > ' ' {
		from--
	}
	for from < to && (isMark(s.text[from]) || s.text[from] == '(') {
		from++
	}
	for to > from && isMark(s.text[to-1]) {
		to--
	}
	if is == secretname.NamesUnknown {
		is = secretname.Classify(name)
	}
	if is == secretname.NamesNothing || to-from < 8 || !s.believes(link{how: copula}, is, nil, from, to) {
		return false
	}
	s.found(ruleOf(is, false), from, to)
	return true
}

// userBefore reports whether what stands before "pass" says whose it is, so that it is the
// password and not the outcome of a test.
func (s *scan) userBefore(start int) bool {
	before := bytes.ToLower(s.text[max(0, start-longestAside*2):start])
	for _, w := range [...]string{"user", "login", "mail", "account", "benutzer"} {
		if bytes.Contains(before, []byte(w)) {
			return true
		}
	}
	return false
}

// believes decides whether the value after a name is its secret.
func (s *scan) believes(l link, is secretname.Naming, name []byte, from, to int) bool {
	value := s.text[from:to]
	if l.how < assigned && setting(value) {
		return false
	}
	quoted := from > 0 && isQuoteOrBlank(s.text[from-1]) && s.text[from-1] != ' '
	switch l.how {
	case loose, aside:
		// In prose only the look of the value tells.
		if from == 0 || len(value) == 0 {
			return false
		}
		if l.how == loose && nameSet.Has(s.text[from-1]) {
			return false // the name goes on
		}
		if is == secretname.NamesPassword {
			return secretname.Convincing(is, value) && (secretname.Varied(value) || (l.how == aside || l.noun) && secretname.ChosenWell(value) || secretname.Drawn(value) || secretvalue.IsDigest(value))
		}
		if l.how == loose && s.text[from-1] != ' ' && s.text[from-1] != '(' && s.text[from-1] != '[' && s.text[from-1] < 0x80 && !quoted {
			return false
		}
		return secretname.Convincing(secretname.NamesToken, value) || is == secretname.NamesSecret && len(value) >= 16 && secretvalue.Random(value) && secretname.Convincing(is, value)
	case copula:
		if is == secretname.NamesPassword {
			return secretname.Convincing(is, value) && (secretname.Varied(value) || secretname.ChosenWell(value) || secretvalue.IsDigest(value))
		}
		return secretname.Convincing(secretname.NamesToken, value) || is == secretname.NamesSecret && len(value) >= 16 && secretvalue.Random(value) && secretname.Convincing(is, value)
	}
	if is == secretname.NamesPassword || is == secretname.NamesSecret {
		if secretname.LettersOnly(value) && (secretname.Strong(name) || s.inConnection(from, name)) && s.ends(to) && (l.tight || quoted) && secretname.WordSecret(name, value) {
			return true
		}
	}
	if is == secretname.NamesPassword && secretname.CodeWord(value, quoted) {
		return false
	}
	return secretname.Convincing(is, value)
}

// inConnection reports whether a value is one of the settings of a connection string, which
// semicolons set apart: user=sa;password=...
func (s *scan) inConnection(from int, name []byte) bool {
	before := from - len(name) - 2 // the sign, and what stands before the name
	return before >= 0 && s.text[from-1] == '=' && s.text[before] == ';'
}

// resource reports whether a name is part of the name of a resource, such as the
// word secret in arn:aws:secretsmanager:...:secret:prod/db.
func (s *scan) resource(start int) bool {
	if start == 0 || s.text[start-1] != ':' && s.text[start-1] != '/' {
		return false
	}
	from := start
	for from > 0 && start-from < secretvalue.LongestName && s.text[from-1] > ' ' && s.text[from-1] != '"' && s.text[from-1] != '\'' && s.text[from-1] != '=' {
		from--
	}
	for _, p := range [...]string{"arn:", "urn:", "projects/", "vault://", "op://", "//secretmanager.", "secret://", "checksum/"} {
		if bytes.HasPrefix(s.text[from:start], []byte(p)) {
			return true
		}
	}
	return false
}

func ruleOf(is secretname.Naming, query bool) string {
	switch {
	case is == secretname.NamesPassword:
		return "named-password"
	case is == secretname.NamesPhrase:
		return "seed-phrase"
	case is == secretname.NamesToken && query:
		return "signed-url"
	case is == secretname.NamesToken:
		return "named-token"
	}
	return "named-secret"
}

// grants reports whether a query parameter of this name signs a URL, so that anyone
// with the URL can use it.
func grants(name []byte) bool {
	for _, n := range [...]string{"sig", "signature", "x-amz-signature", "x-goog-signature", "hmac"} {
		if bytes.EqualFold(name, []byte(n)) {
			return true
		}
	}
	return false
}

// opens reports whether a query parameter of this name may be a credential.
func opens(name []byte) bool {
	for _, n := range [...]string{"key", "sas", "code", "auth", "token"} {
		if bytes.EqualFold(name, []byte(n)) {
			return true
		}
	}
	return false
}
