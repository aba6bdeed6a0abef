package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/secretvalue"
)

// longestType bounds the type between a name and its value, in bytes: &'static str.
const longestType = 24

// typed returns where the value starts behind a type: "key: String = ...", "key string =
// ...". It returns at if there is none.
func (s *scan) typed(at int) int {
	i := at
	for limit := min(len(s.text), at+longestGap); i < limit && s.text[i] == ' '; {
		i++
	}
	from := i
	for limit := min(len(s.text), i+longestType); i < limit && s.text[i] != '=' && (nameSet.Has(s.text[i]) || bytes.IndexByte([]byte("&'<>[]? "), s.text[i]) >= 0); {
		i++
	}
	// A quoted value has to follow, or this is no type.
	if i == from || i+2 >= len(s.text) || s.text[i] != '=' || s.text[i-1] != ' ' {
		return at
	}
	next := i + 1
	for limit := min(len(s.text), next+longestGap); next < limit && s.text[next] == ' '; {
		next++
	}
	if next == len(s.text) || s.text[next] != '"' && s.text[next] != '\'' && s.text[next] != '`' {
		return at
	}
	return i + 1
}

// wrappers are the functions and constructors that only hold the value in their brackets,
// without case. Others look up what they are given.
var wrappers = [...]string{"some", "just", "ok", "optional", "of", "string", "str", "from", "bytes", "sensitive", "secret", "secretstr", "secretstring", "secretbytes", "securestring", "redacted", "confidential", "newsecret", "value"}

// wrapped returns where the value starts within Some("..."), SecretStr('...') and the like,
// at if it does not.
func (s *scan) wrapped(at int) int {
	for depth := 0; depth < 2; depth++ {
		i, word := at, at
		for limit := min(len(s.text), at+secretvalue.LongestName/2); i < limit && (ascii.IsLower(s.text[i]) || ascii.IsUpper(s.text[i]) || s.text[i] == '.' || s.text[i] == ':' || s.text[i] == '_'); i++ {
			if s.text[i] == '.' || s.text[i] == ':' {
				word = i + 1
			}
		}
		if i == word || i+1 >= len(s.text) || s.text[i] != '(' && s.text[i] != ' ' || !wraps(s.text[word:i]) {
			return at
		}
		next := i + 1
		if c := s.text[next]; c == '"' || c == '\'' || c == '`' {
			return next + 1
		}
		if s.text[i] != '(' {
			return at
		}
		at = next
	}
	return at
}

func wraps(word []byte) bool {
	for _, w := range wrappers {
		if bytes.EqualFold(word, []byte(w)) {
			return true
		}
	}
	return false
}

// formPart returns where the value of a part of a form starts whose name is in its headers:
// Content-Disposition: form-data; name="password", and an empty line. 0 means nowhere.
func (s *scan) formPart(start, at int) int {
	if !bytes.HasSuffix(s.text[:start], []byte(`name="`)) {
		return 0
	}
	for _, gap := range [...]string{"\"\r\n\r\n", "\"\n\n"} {
		if bytes.HasPrefix(s.text[at:], []byte(gap)) {
			return at + len(gap)
		}
	}
	return 0
}

// longestTag bounds the attributes between a name and its value, in bytes.
const longestTag = 160

// attribute returns where the value starts of an element that is named here and has
// attributes (<ns:apiKey xmlns:ns="...">...), or of one whose name is an attribute that
// others follow (<input name="apiKey" type="text" value="...">). 0 means nowhere.
func (s *scan) attribute(start, at int) int {
	if at+1 >= len(s.text) || start == 0 {
		return 0
	}
	inQuotes := s.text[at] == '"' && s.text[at+1] == ' ' && s.text[start-1] == '"'
	if !inQuotes && (s.text[at] != ' ' || s.text[start-1] != '<' && s.text[start-1] != ':') {
		return 0
	}
	tag := s.text[at:min(len(s.text), at+longestTag)]
	stop := bytes.IndexByte(tag, '>')
	if stop < 0 || bytes.IndexByte(tag[:stop], '\n') >= 0 {
		return 0
	}
	if !inQuotes {
		if bytes.Contains(tag[:stop], []byte(`="`)) && tag[stop-1] != '/' {
			return at + stop + 1
		}
		return 0
	}
	if !bytes.HasSuffix(s.text[:start], []byte(`name="`)) && !bytes.HasSuffix(s.text[:start], []byte(`id="`)) {
		return 0
	}
	if i := bytes.Index(tag[:stop], []byte(` value="`)); i >= 0 {
		return at + i + len(` value="`)
	}
	return 0
}

// nextItem returns where the next string of a numbered list starts, in which names and
// values take turns: 3) "password", and 4) "..." on the next line. 0 means nowhere.
func (s *scan) nextItem(start, at int) int {
	if start < 3 || at+6 >= len(s.text) || s.text[start-1] != '"' || s.text[start-3] != ')' || s.text[at] != '"' || s.text[at+1] != '\n' {
		return 0
	}
	i := at + 2
	for limit := min(len(s.text), i+longestGap); i < limit && (s.text[i] == ' ' || '0' <= s.text[i] && s.text[i] <= '9'); {
		i++
	}
	if !bytes.HasPrefix(s.text[i:], []byte(`) "`)) {
		return 0
	}
	return i + len(`) "`)
}
