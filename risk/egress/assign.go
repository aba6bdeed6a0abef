package egress

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/pattern"
)

// Distances, in bytes, between a name and its value. The name of a vendor may be
// the first of a few words, and a value may be behind brackets and quotes.
const (
	farthestValue = 48
	longestGap    = 12
	longestValue  = 512
)

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
	for start > 0 && at-start < longestName/2 && nameSet.Has(s.text[start-1]) {
		start--
	}
	for end < len(s.text) && end-at < longestName/2 && nameSet.Has(s.text[end]) {
		end++
	}
	s.nameDone = end
	// A full stop before the value ends a sentence, not a name.
	nameEnd := end
	for nameEnd > at && (s.text[nameEnd-1] == '.' || s.text[nameEnd-1] == '-') {
		nameEnd--
	}
	name := s.text[start:nameEnd]
	// "API key" and "access token" are written apart.
	if two := s.twoWords(start, nameEnd); two != nil {
		name = two
	}
	column := start >= 2 && (s.text[start-2] == '|' || s.text[start-1] == '|')
	from, assigned := s.separator(nameEnd, s.text[start] == '-', column)
	valueStart, valueStop := s.value(from)
	value := s.text[valueStart:valueStop]
	// Prose is full of such words; what follows them is seldom worth a second look.
	if !assigned && (len(value) < 8 || !mixed(value)) && !bytes.HasSuffix(name, []byte("phrase")) && !bytes.HasSuffix(name, []byte("mnemonic")) {
		if from = s.afterColon(nameEnd); from < 0 {
			return
		}
		valueStart, valueStop = s.value(from)
		if value = s.text[valueStart:valueStop]; len(value) < 16 || !mixed(value) {
			return
		}
	}
	is := classify(name)
	query := start > 0 && (s.text[start-1] == '?' || s.text[start-1] == '&')
	if query && is == namesNothing && (opens(name) || grants(name)) {
		is = namesToken
	}
	if is == namesNothing {
		return
	}
	if is == namesHeader || is == namesCookie {
		if assigned {
			s.header(is, from)
		}
		return
	}
	switch {
	case assigned || is == namesPhrase:
	case from == nameEnd || len(value) == 0:
		return
	case is == namesPassword:
		// In prose nothing but the look of the value tells.
		if !convincing(is, value) || !varied(value) {
			return
		}
	default:
		is = namesToken
	}
	if query && grants(name) && len(value) >= 16 && mixed(value) && !standIn(value) {
		s.found("signed-url", valueStart, valueStop)
		return
	}
	if is == namesPhrase {
		valueStop = s.phrase(valueStart)
		value = s.text[valueStart:valueStop]
	}
	if is == namesPassword && codeWord(value, valueStart > 0 && isQuoteOrBlank(s.text[valueStart-1]) && s.text[valueStart-1] != ' ') {
		return
	}
	if convincing(is, value) {
		s.found(ruleOf(is, query), valueStart, valueStop)
	}
}

func ruleOf(is naming, query bool) string {
	switch {
	case is == namesPassword:
		return "named-password"
	case is == namesPhrase:
		return "seed-phrase"
	case is == namesToken && query:
		return "signed-url"
	case is == namesToken:
		return "named-token"
	}
	return "named-secret"
}

// grants reports whether a query parameter of this name signs a URL, which
// whoever holds the URL can then use.
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

// codeWord reports whether a value reads like the name of something in a program,
// which is what stands behind "password =" in source text. In quotes it has to be
// made of several words.
func codeWord(value []byte, quoted bool) bool {
	for _, c := range value {
		if !isLower(c) && !isUpper(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return !quoted || identifier(value)
}

// varied reports whether digits, capitals and small letters all occur, as in
// nothing that stands behind the word password by chance.
func varied(value []byte) bool {
	var digit, upper, lower bool
	for _, c := range value {
		digit, upper, lower = digit || '0' <= c && c <= '9', upper || isUpper(c), lower || isLower(c)
	}
	return digit && upper && lower && len(value) >= 8 && !identifier(value)
}

// twoWords returns the name with the word before it when that is one blank away
// and the name is a noun that needs one.
func (s *scan) twoWords(start, end int) []byte {
	noun := s.text[start:end]
	if !bytes.EqualFold(noun, []byte("key")) && !bytes.EqualFold(noun, []byte("token")) && !bytes.EqualFold(noun, []byte("phrase")) {
		return nil
	}
	i := start - 1
	if i < 1 || s.text[i] != ' ' {
		return nil
	}
	first := i
	for first > 0 && i-first < 16 && nameSet.Has(s.text[first-1]) {
		first--
	}
	if first == i || classify(s.text[first:end]) != namesSecret && !bytes.EqualFold(noun, []byte("phrase")) {
		return nil
	}
	return s.text[first:end]
}

// longestAside bounds the words between a name and its colon, in bytes: "the API
// token for this project: ...".
const longestAside = 40

// afterColon returns where a value may start behind the rest of a sentence and a
// colon, -1 for nowhere.
func (s *scan) afterColon(at int) int {
	from := at
	for limit := min(len(s.text), at+longestAside) - 1; from < limit && s.text[from] != ':'; from++ {
		if c := s.text[from]; c == '\n' || c == '.' || c == ',' || c == ';' {
			return -1
		}
	}
	if from+1 >= len(s.text) || s.text[from] != ':' || s.text[from+1] != ' ' {
		return -1
	}
	from += 2
	for limit := min(len(s.text), from+longestGap/2); from < limit && isQuoteOrBlank(s.text[from]); {
		from++
	}
	return from
}

// separator reads what stands between a name and its value; option is a flag of a
// command line, column a cell of a table. It returns where the value may start
// and whether anything said that one follows.
func (s *scan) separator(at int, option, column bool) (from int, assigned bool) {
	i := at
	limit := min(len(s.text), at+longestGap)
	for i < limit && isQuoteOrBlank(s.text[i]) || i < limit && s.text[i] == ']' {
		i++
	}
	switch {
	case i >= limit:
	case s.text[i] == '=' || s.text[i] == ':' || s.text[i] == '|' && column:
		assigned = true
		i++
		for i < limit && (s.text[i] == '=' || s.text[i] == '>') {
			i++
		}
	case s.text[i] == '>' || s.text[i] == ',':
		assigned = i > at || s.text[i] == '>'
		i++
	case bytes.HasPrefix(s.text[i:], []byte("->")) || bytes.HasPrefix(s.text[i:], []byte("=>")):
		assigned = true
		i += 2
	case bytes.HasPrefix(s.text[i:], []byte("\u2192")):
		assigned = true
		i += len("\u2192")
	case i > at && bytes.HasPrefix(s.text[i:], []byte("value=")):
		assigned = true // <add key="NAME" value="...">
		i += len("value=")
	}
	if !assigned {
		// --password VALUE, "password is VALUE" and "password VALUE".
		i = at
		for i < limit && s.text[i] == ' ' {
			i++
		}
		if option && i > at {
			return i, true
		}
		if rest := s.text[i:]; bytes.HasPrefix(rest, []byte("is ")) {
			i += len("is ")
		}
		if i > at && i < limit && (s.text[i] == '\'' || s.text[i] == '"' || s.text[i] == '`') {
			return i + 1, true // quotes around what follows the name
		}
		if i == at && i < limit && (s.text[i] == '(' || s.text[i] == '[') {
			return i + 1, false
		}
		return i, false
	}
	for limit = min(len(s.text), i+longestGap); i < limit && (isQuoteOrBlank(s.text[i]) || s.text[i] == '(' || s.text[i] == '['); i++ {
	}
	return i, true
}

func isQuoteOrBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '`' || c == '\\'
}

// value returns the value that starts at a position. One in quotes ends at the
// same quote, any other at a blank or bracket.
func (s *scan) value(from int) (start, end int) {
	limit := min(len(s.text), from+longestValue)
	end = from
	if from > 0 && from < limit && (s.text[from-1] == '"' || s.text[from-1] == '\'' || s.text[from-1] == '`') {
		quote := s.text[from-1]
		for end < limit && s.text[end] != quote && s.text[end] != '\n' && !(s.text[end] == '\\' && end+1 < limit && s.text[end+1] == quote) {
			end++
		}
		return from, end
	}
	for end < limit && (!valueEnd.Has(s.text[end]) || s.text[end] == '&' && !s.parameter(end+1)) {
		end++
	}
	// Punctuation after the value belongs to the sentence.
	for end > from && (s.text[end-1] == '.' || s.text[end-1] == ':' || s.text[end-1] == '!' || s.text[end-1] == '?') {
		end--
	}
	return from, end
}

// parameter reports whether a name and an equals sign follow, as after an
// ampersand between the parameters of a URL or form.
func (s *scan) parameter(at int) bool {
	end := at
	for limit := min(len(s.text), at+longestName/2); end < limit && nameSet.Has(s.text[end]); {
		end++
	}
	return end > at && end < len(s.text) && s.text[end] == '='
}

// cookie reports whether a text begins with a name, an equals sign and a value.
func cookie(text []byte) bool {
	i := bytes.IndexAny(text, "=;, ")
	return i > 0 && text[i] == '=' && len(text) >= 8 && !standIn(text)
}

// phrase returns the end of the words that follow.
func (s *scan) phrase(from int) int {
	end := from
	for limit := min(len(s.text), from+longestValue); end < limit; end++ {
		if c := s.text[end]; !isLower(c) && c != ' ' {
			break
		}
	}
	return end
}

// header hides what follows the scheme of an Authorization header, and the whole
// of a Cookie header.
func (s *scan) header(is naming, from int) {
	limit := min(len(s.text), from+8*longestValue)
	end := from
	if is == namesCookie {
		if from < s.cookieDone {
			return
		}
		for end < limit && s.text[end] != '\n' && s.text[end] != '\r' && s.text[end] != '"' && s.text[end] != '\\' {
			end++
		}
		s.cookieDone = end
		if cookie(s.text[from:end]) {
			s.found("cookie", from, end)
		}
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
	if len(value) >= 8 && !standIn(value) && !identifier(value) {
		s.found("named-secret", from, end)
	}
}
