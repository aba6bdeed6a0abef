// Package trace finds what tells about the inside of a machine: paths of its files, and
// the frames of stack traces of JavaScript, Java, Python and Go.
package trace

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
)

// Found is told the id of the rule and the place of a find.
type Found func(id string, start, end int)

// search is one text being searched.
type search struct {
	text  []byte
	found Found
}

// roots are directories that paths of a machine begin with. A route of a web
// site may be called the same, so what stands before decides as well.
var roots = [...]string{"home/", "Users/", "root/", "var/", "usr/", "opt/", "app/", "srv/", "tmp/", "etc/", "mnt/", "data/", "proc/", "run/", "private/", "Library/", "workspace/", "builds/"}

var (
	pathSet   = pattern.NewSet("0-9A-Za-z._@%+~/-")
	windowSet = pattern.NewSet("0-9A-Za-z._@%+~()$\\/-")
)

// longestPath is PATH_MAX of Linux.
const longestPath = 4096

// Each reports paths and stack frames. Frames come first: a path inside one is part of
// it.
func Each(text []byte, found Found) {
	s := search{text, found}
	// A frame has a colon or a quotation mark; most strings have neither.
	colon := bytes.IndexByte(s.text, ':') >= 0
	if colon || bytes.IndexByte(s.text, '"') >= 0 {
		s.frames()
	}
	for at := 0; at < len(s.text); {
		i := bytes.IndexByte(s.text[at:], '/')
		if i < 0 {
			break
		}
		at = s.unixPath(at + i)
	}
	for at := 0; colon; {
		i := bytes.Index(s.text[at:], []byte(`:\`))
		if i < 0 {
			break
		}
		at = s.windowsPath(at + i)
	}
}

// unixPath looks at a slash and returns where to go on.
func (s *search) unixPath(at int) int {
	start := at
	if at > 0 {
		before := s.text[at-1]
		if at >= 7 && before == '/' && bytes.HasSuffix(s.text[:at], []byte("file://")) {
			start = at - 7
		} else if pathSet.Has(before) || before == ':' && at >= 2 && pattern.Alnum.Has(s.text[at-2]) && at+1 < len(s.text) && s.text[at+1] == '/' {
			return at + 1 // part of a URL or of a longer path
		}
	}
	rest := s.text[at+1 : min(len(s.text), at+16)]
	for _, root := range roots {
		if !bytes.HasPrefix(rest, []byte(root)) {
			continue
		}
		end := at + 1
		for limit := min(len(s.text), at+longestPath); end < limit && pathSet.Has(s.text[end]); {
			end++
		}
		for end > at && s.text[end-1] == '.' {
			end--
		}
		if end-at > len(root)+1 {
			s.found("path", start, end)
		}
		return end
	}
	return at + 1
}

// windowsPath looks at the colon behind a drive letter.
func (s *search) windowsPath(at int) int {
	if at == 0 || !ascii.IsLower(s.text[at-1]|0x20) || at >= 2 && pattern.Alnum.Has(s.text[at-2]) {
		return at + 2
	}
	end := at + 2
	for end < len(s.text) && s.text[end] == '\\' {
		end++ // escaped once more
	}
	first := end
	for limit := min(len(s.text), at+longestPath); end < limit && windowSet.Has(s.text[end]); {
		end++
	}
	// A single word is as likely a label and an escaped line end (CODE:\nDone).
	if bytes.IndexByte(s.text[first:end], '\\') > 0 {
		s.found("path", at-1, end)
	}
	return end
}

// frames finds lines of stack traces of JavaScript, Java, Python and Go.
func (s *search) frames() {
	for at := 0; at < len(s.text); {
		end := len(s.text)
		if i := bytes.IndexByte(s.text[at:], '\n'); i >= 0 {
			end = at + i
		}
		line := s.text[at:end]
		trimmed := bytes.TrimLeft(line, " \t")
		start := at + len(line) - len(trimmed)
		trimmed = bytes.TrimRight(trimmed, "\r ")
		if len(trimmed) < 512 && isFrame(trimmed) {
			s.found("stack-frame", start, start+len(trimmed))
		} else if i := bytes.Index(trimmed, []byte(" at ")); i >= 0 && len(trimmed) < 2048 && isFrame(trimmed[i+1:]) {
			s.found("stack-frame", start+i+1, start+len(trimmed))
		}
		at = end + 1
	}
}

// isFrame reports whether a line is one frame of a stack.
func isFrame(line []byte) bool {
	switch {
	case bytes.HasPrefix(line, []byte("at ")):
		// at f (file:1:2), at file:1:2, at pkg.Class.method(File.java:12)
		line = bytes.TrimSuffix(line, []byte(")"))
		colon := bytes.LastIndexByte(line, ':')
		return colon > 0 && colon < len(line)-1 && digitsOnly(line[colon+1:]) && bytes.ContainsAny(line, "(/\\")
	case bytes.HasPrefix(line, []byte(`File "`)):
		return bytes.Contains(line, []byte(`", line `))
	case bytes.HasPrefix(line, []byte("goroutine ")):
		return bytes.HasSuffix(line, []byte("]:"))
	}
	i := bytes.Index(line, []byte(".go:"))
	return i > 0 && line[0] == '/' && i+4 < len(line) && '0' <= line[i+4] && line[i+4] <= '9'
}

func digitsOnly(b []byte) bool {
	for _, c := range b {
		if c < '0' || '9' < c {
			return false
		}
	}
	return len(b) > 0
}
