package finder

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

// longestKey bounds a private key block: 16 KiB holds RSA of 16,384 bits.
const longestKey = 16 << 10

// privateKey hides a key block. One that is cut off is hidden as far as lines of
// base64 go.
func (s *scan) privateKey(start, end int) {
	if start < s.keyDone {
		return
	}
	rest := s.text[end:min(len(s.text), end+128)]
	label := bytes.Index(rest, []byte("-----"))
	if label < 0 || !bytes.Contains(bytes.ToUpper(rest[:label]), []byte("PRIVATE KEY")) {
		return
	}
	body := end + label + len("-----")
	if s.quotedKey(start, body) {
		return
	}
	limit := min(len(s.text), body+longestKey)
	stop := body
	for stop < limit && keyBody(s.text[stop]) {
		stop++
	}
	bodyEnd := stop
	stop = s.keyEnd(stop)
	s.keyDone = stop
	if keyCharacters(s.text[body:bodyEnd]) >= shortestKey {
		s.found("private-key", start, stop)
	}
}

// keyEnd returns the end of the line that closes a block, at if there is none.
func (s *scan) keyEnd(at int) int {
	if tail := s.text[at:min(len(s.text), at+128)]; bytes.HasPrefix(tail, []byte("-----END")) || bytes.HasPrefix(tail, []byte("-----end")) {
		if closing := bytes.Index(tail[8:], []byte("-----")); closing >= 0 {
			return at + 8 + closing + len("-----")
		}
	}
	return at
}

// longestMark bounds what each line of a quoted block begins with, in bytes: "> > ", "+ ".
const longestMark = 16

// quotedKey hides a key block whose lines all begin with the same mark, of a mail, a patch
// or a comment. The marks stay.
func (s *scan) quotedKey(start, body int) bool {
	line := start
	for line > 0 && start-line < longestMark && s.text[line-1] != '\n' {
		line--
	}
	mark := s.text[line:start]
	if blank := bytes.TrimSpace(mark); len(blank) == 0 || bytes.IndexFunc(blank, func(r rune) bool { return r >= 'A' }) >= 0 || line > 0 && s.text[line-1] != '\n' {
		return false
	}
	h := Hit{Rule: s.engine.ids["private-key"], Start: start, End: body}
	characters := 0
	for limit := min(len(s.text), body+longestKey); ; {
		next := bytes.IndexByte(s.text[h.End:min(len(s.text), h.End+2)], '\n')
		if next < 0 {
			break
		}
		at := h.End + next + 1
		if at >= limit || !bytes.HasPrefix(s.text[at:], mark) {
			break
		}
		from := at + len(mark)
		to := from
		for to < limit && keyBody(s.text[to]) && s.text[to] != '\n' && s.text[to] != '\r' {
			to++
		}
		closing := s.keyEnd(to)
		if to == from && closing == from {
			break
		}
		characters += keyCharacters(s.text[from:to])
		h.Holes = append(h.Holes, [2]int{h.End, from})
		if h.End = closing; closing > to {
			break
		}
	}
	if characters < shortestKey {
		return false
	}
	s.keyDone = h.End
	if _, ok := s.engine.ids["private-key"]; ok {
		s.hits = append(s.hits, h)
	}
	return true
}

// shortestKey is less than the base64 of any private key and more than what
// stands between the two lines where somebody writes about them.
const shortestKey = 32

// keyCharacters counts the base64 in a key block, line ends that are written out
// included.
func keyCharacters(body []byte) int {
	n := 0
	for _, c := range body {
		if pattern.Base64.Has(c) {
			n++
		}
	}
	return n
}

// keyBody is what stands in a key block, headers such as Proc-Type and escaped
// line ends included. The hyphens of the end line are the first byte that does not.
func keyBody(c byte) bool {
	return pattern.Base64.Has(c) && c != '-' || c == '=' || c == '\n' || c == '\r' || c == ' ' || c == '\t' || c == '\\' || c == ':' || c == ',' || c == '"' || c == '.' || c == '(' || c == ')' || c == '@'
}
