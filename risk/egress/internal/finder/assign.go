package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/decode"
	"github.com/glovebox-run/glovebox/risk/egress/internal/joint"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretname"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// Distances, in bytes, between a name and its value. The name of a vendor may be
// the first of a few words, and a value may be behind brackets and quotes.
const (
	farthestValue = 48
	longestGap    = 12
	longestValue  = 512
	// mostNested is how many names within the value of another one are looked at: a
	// text of nothing but names would be read once for each of them.
	mostNested = 6
)

// eastern is the first byte of Chinese, Japanese and Korean characters in UTF-8: in a
// sentence no password begins with one, the sentence goes on.
const eastern = 0xe3

var (
	nameSet  = pattern.NewSet("0-9A-Za-z_.-")
	valueEnd = pattern.NewSet("\x00- \"'`,;<>(){}[]|\\&")
)

// word looks at the name around a word that names of secrets contain.
func (s *scan) word(at, end int) {
	if end <= s.nameDone {
		return
	}
	start := at
	for start > 0 && at-start < secretvalue.LongestName/2 && nameSet.Has(s.text[start-1]) {
		start--
	}
	for end < len(s.text) && end-at < secretvalue.LongestName/2 && nameSet.Has(s.text[end]) {
		end++
	}
	s.nameDone = end
	// A full stop before the value is the end of a sentence, not of a name.
	for end > at && (s.text[end-1] == '.' || s.text[end-1] == '-') {
		end--
	}
	name := s.text[start:end]
	// "API key" and "access token" are written apart.
	if two := s.twoWords(start, end); two > 0 {
		start -= two
		name = s.text[start:end]
	}
	s.after(start, end, name, secretname.NamesUnknown)
}

// after looks for the value of the name that stands from start to end, and for the answer
// of who asks for it.
func (s *scan) after(start, end int, name []byte, is secretname.Naming) {
	if border := s.cell(start, end); border != 0 && !s.expanded(start) {
		s.column(start, end, is, border)
		return
	}
	found := len(s.hits)
	if s.valueOf(start, end, name, is); len(s.hits) > found {
		return
	}
	if !s.usedAs(start, name, is) {
		s.asked(start, end, name, is)
	}
}

// valueOf looks for the value of the name that stands from start to end.
func (s *scan) valueOf(start, end int, name []byte, is secretname.Naming) {
	if s.expanded(start) {
		s.fallback(end, name)
		return
	}
	if end < len(s.text) && s.text[end] == '<' && bytes.HasPrefix(s.text[end:], []byte("</th")) {
		s.htmlTable(start)
	}
	l := s.link(start, end)
	l.noun = is != secretname.NamesUnknown
	if l.how == below {
		if is == secretname.NamesUnknown {
			is = secretname.Classify(name)
		}
		s.lines(l, is, secretname.Strong(name))
		return
	}
	if l.how < assigned && start > 0 && s.text[start-1] == '=' {
		return // the end of a value, not a name
	}
	if s.valueFrom <= start && start < s.valueTo {
		if s.nested++; s.nested > mostNested {
			return
		}
	} else {
		s.nested = 0
	}
	from, to := l.from, l.from
	if l.how >= assigned || from == len(s.text) || s.text[from] < eastern {
		from, to = s.value(from)
	}
	value := s.text[from:to]
	// Such words are common in prose and seldom followed by a secret.
	if l.how <= copula && is == secretname.NamesUnknown && (len(value) < 8 || !secretvalue.Mixed(value) && !secretname.Drawn(value)) && !bytes.HasSuffix(name, []byte("phrase")) && !bytes.HasSuffix(name, []byte("mnemonic")) {
		if is = secretname.Classify(name); is == secretname.NamesNothing {
			return
		}
		if l.from = s.further(end, is); l.from < 0 {
			return
		}
		l.how = aside
		from, to = s.value(l.from)
		if value = s.text[from:to]; len(value) < 8 || !secretvalue.Mixed(value) && !secretvalue.Random(value) {
			return
		}
	}
	if is == secretname.NamesUnknown {
		is = secretname.Classify(name)
	}
	query := start > 0 && (s.text[start-1] == '?' || s.text[start-1] == '&')
	if is == secretname.NamesToken && (query || l.how == assigned) && secretvalue.IsDigest(value) && (bytes.EqualFold(name, []byte("token")) || bytes.EqualFold(name, []byte("pass")) || string(name) == "--token") {
		is = secretname.NamesSecret // drawn by whoever gave it out, so it may look like a digest
	}
	if query && is == secretname.NamesNothing && (opens(name) || grants(name)) {
		is = secretname.NamesToken
	}
	if is == secretname.NamesToken && l.how == assigned && l.tight && secretvalue.IsUUID(value) && secretname.Strong(name) {
		is = secretname.NamesSecret // of a variable of the environment
	}
	if is == secretname.NamesToken && l.how == assigned && bytes.EqualFold(name, []byte("pass")) && s.userBefore(start) {
		is = secretname.NamesPassword
	}
	if is == secretname.NamesNothing || s.resource(start) {
		return
	}
	if l.how == copula || l.how == loose {
		if len(value) < 8 || !secretvalue.Mixed(value) {
			noun := l.noun
			next := s.further(end, is)
			if next < 0 && noun && is == secretname.NamesPassword {
				next = s.afterNoun(end)
			}
			if next > 0 {
				l = link{from: next, how: aside, noun: noun}
				from, to = s.value(next)
				value = s.text[from:to]
			}
		}
	}
	if is == secretname.NamesHeader || is == secretname.NamesCookie {
		if l.how == assigned {
			s.header(is, l.from)
		}
		return
	}
	if query && grants(name) && len(value) >= 16 && secretvalue.Mixed(value) && !secretvalue.StandIn(value) {
		s.found("signed-url", from, to)
		return
	}
	if is == secretname.NamesPhrase {
		to = s.phraseEnd(from)
		if secretname.Convincing(is, s.text[from:to]) {
			s.found(ruleOf(is, false), from, to)
		}
		return
	}
	if l.how == assigned && is == secretname.NamesPassword {
		to = s.restOfLine(from, to)
	}
	if s.believes(l, is, name, from, to) {
		s.broken(ruleOf(is, query), from, to, is)
	}
}

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

// usedAs hides the value that stands before its name: "use ... as the database password".
func (s *scan) usedAs(start int, name []byte, is secretname.Naming) bool {
	before := s.text[max(0, start-longestHeading):start]
	at := bytes.Index(before, []byte(" as "))
	if at <= 0 || bytes.IndexAny(before[at:], ".,;:\n=") >= 0 {
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

// twoWords returns by how much the name is longer with the word before it, when
// that is one blank away and the name is a noun that needs one.
func (s *scan) twoWords(start, end int) int {
	noun := s.text[start:end]
	if !bytes.EqualFold(noun, []byte("key")) && !bytes.EqualFold(noun, []byte("token")) && !bytes.EqualFold(noun, []byte("phrase")) {
		return 0
	}
	i := start - 1
	if i < 1 || s.text[i] != ' ' {
		return 0
	}
	first := i
	for first > 0 && i-first < 16 && nameSet.Has(s.text[first-1]) {
		first--
	}
	if first == i || secretname.Classify(s.text[first:end]) != secretname.NamesSecret && !bytes.EqualFold(noun, []byte("phrase")) {
		return 0
	}
	return start - first
}

// phraseEnd returns the end of the words that follow.
func (s *scan) phraseEnd(from int) int {
	end := from
	for limit := min(len(s.text), from+longestValue); end < limit; end++ {
		if c := s.text[end]; !ascii.IsLower(c) && c != ' ' {
			break
		}
	}
	return end
}

// broken adds a value, with the lines on which it goes on.
func (s *scan) broken(id string, from, to int, is secretname.Naming) {
	rule, ok := s.engine.ids[id]
	if !ok || from >= to {
		return
	}
	h := Hit{Rule: rule, Start: from, End: to}
	if is != secretname.NamesPassword && to-from >= 12 && from >= s.brokenDone && secretvalue.Random(s.text[from:to]) {
		start, end, width := from, to, to-from
		for parts := 1; parts < mostParts; parts++ {
			next := joint.Gap(s.text, start, end)
			if next < 0 || bytes.IndexByte(s.text[end:next], '\n') < 0 {
				break
			}
			start, end = next, next
			for end < len(s.text) && decode.TokenSet.Has(s.text[end]) && s.text[end] != ':' {
				end++
			}
			part := s.text[start:end]
			if !joint.LineEnds(s.text, end) || len(part) > max(width, 24) || !(secretvalue.Random(part) && len(part) >= strongPart || parts > 1 && !secretvalue.Written(part)) || bytes.IndexByte(bytes.TrimRight(part, "="), '=') >= 0 {
				break
			}
			if s.text[h.End-1] == '=' && s.text[h.End-2] != '=' {
				h.End-- // by which quoted-printable breaks a line
			}
			h.Holes = append(h.Holes, [2]int{h.End, start})
			h.End = end
			if parts > 1 && len(part) < width {
				break
			}
			width = len(part)
		}
		s.brokenDone = h.End
	}
	s.hits = append(s.hits, h)
}
