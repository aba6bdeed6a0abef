package files

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// slowlyInside is the oracle for paths: it walks the path name by name with a
// list as its only state.
func slowlyInside(home, root, path string) bool {
	var at []string
	if !strings.HasPrefix(path, "/") {
		at = strings.Split(strings.Trim(home, "/"), "/")
	}
	for _, name := range strings.Split(path, "/") {
		switch name {
		case "", ".":
		case "..":
			if len(at) > 0 {
				at = at[:len(at)-1]
			}
		default:
			at = append(at, name)
		}
	}
	want := strings.Split(strings.Trim(root, "/"), "/")
	return len(at) >= len(want) && slices.Equal(at[:len(want)], want)
}

func FuzzLocate(f *testing.F) {
	for _, p := range []string{"a", "../x", "/home/work/../../etc", "a/../..", "/home/workevil", "//home/work", "./.", "/home/work/", "...", "a//b", "\\..\\x", "é/‥/x", "/"} {
		f.Add(p)
	}
	root := &tree{path: "/home/work", alias: "/home/work"}
	places := places{root.path, []*tree{root}}
	f.Fuzz(func(t *testing.T, path string) {
		p, err := checkPath(&path)
		if err != nil {
			return
		}
		at, err := places.locate(p)
		if want := slowlyInside(root.path, root.path, p); (err == nil) != want {
			t.Fatalf("%q: inside is %v, want %v", p, err == nil, want)
		}
		if err == nil && (!filepath.IsLocal(at.rel) || filepath.Clean(at.rel) != at.rel || strings.Contains("/"+at.rel+"/", "/../")) {
			t.Fatalf("%q became %q", p, at.rel)
		}
	})
}

func FuzzSplitLines(f *testing.F) {
	for _, s := range []string{"", "\n", "a\r\nb\rc\n", "\r\r\n\n", "a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		unix := strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
		want := strings.Split(unix, "\n")
		if want[len(want)-1] == "" {
			want = want[:len(want)-1]
		}
		if got, err := splitLines(budgettest.Ample(), s); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", s, got, want)
		}
	})
}

func FuzzCompareUTF16(f *testing.F) {
	f.Add("a", "b")
	f.Add("\U0001F600", "\uFF5E")
	f.Add("é", "e\u0301")
	f.Fuzz(func(t *testing.T, x, y string) {
		if !utf8.ValidString(x) || !utf8.ValidString(y) {
			return
		}
		if got, want := compareUTF16(x, y), slices.Compare(utf16.Encode([]rune(x)), utf16.Encode([]rune(y))); got != want {
			t.Fatalf("%q and %q: %d, want %d", x, y, got, want)
		}
	})
}

// slowGlob matches by trying everything.
func slowGlob(glob, name []rune) bool {
	if len(glob) == 0 {
		return len(name) == 0
	}
	switch glob[0] {
	case '*':
		for i := 0; i <= len(name); i++ {
			if slowGlob(glob[1:], name[i:]) {
				return true
			}
		}
		return false
	case '?':
		return len(name) > 0 && slowGlob(glob[1:], name[1:])
	case '\\':
		return len(glob) > 1 && len(name) > 0 && name[0] == glob[1] && slowGlob(glob[2:], name[1:])
	case '{':
		depth := slices.Index(glob, '}')
		for _, part := range strings.Split(string(glob[1:depth]), ",") {
			if slowGlob(append([]rune(part), glob[depth+1:]...), name) {
				return true
			}
		}
		return false
	case '[':
		end := 2 + slices.Index(glob[2:], ']')
		set, negated := glob[1:end], false
		if set[0] == '!' || set[0] == '^' {
			set, negated = set[1:], true
		}
		if len(set) == 0 || len(name) == 0 {
			return false
		}
		in := false
		for i := 0; i < len(set); i++ {
			hi := set[i]
			if i+2 < len(set) && set[i+1] == '-' {
				hi = set[i+2]
				in = in || set[i] <= name[0] && name[0] <= hi
				i += 2
				continue
			}
			in = in || name[0] == hi
		}
		return in != negated && slowGlob(glob[end+1:], name[1:])
	}
	return len(name) > 0 && glob[0] == name[0] && slowGlob(glob[1:], name[1:])
}

func FuzzGlob(f *testing.F) {
	for _, pair := range [][2]string{{"*.txt", "a.txt"}, {"[a-c]?", "bx"}, {"[!a]*", ".b"}, {"{a,b*}.go", "bb.go"}, {`\*`, "*"}, {"a.b", "axb"}, {"[.]", "."}, {"a*b*c", "abbc"}, {"[]]", "]"}, {"[\\]", "\\"}, {"[[:x]", "x"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, glob, name string) {
		if len(glob) > 20 || len(name) > 20 || !utf8.ValidString(glob) || !utf8.ValidString(name) {
			return
		}
		re, err := compileGlob(glob)
		if err != nil {
			return
		}
		got := re.MatchString(name)
		// The oracle does not know braces that hold special characters, and blank is
		// everything.
		if strings.TrimSpace(glob) == "" {
			if !got {
				t.Fatalf("a blank glob does not match %q", name)
			}
			return
		}
		if strings.Contains(glob, "{") && strings.ContainsAny(glob, `\[`) || strings.Contains(glob, "[") && strings.Contains(glob, `\`) || strings.Contains(glob, "[!]") || strings.Contains(glob, "[^]") {
			return
		}
		if want := slowGlob([]rune(glob), []rune(name)); got != want {
			t.Fatalf("glob %q, name %q: %v, want %v (%v)", glob, name, got, want, re)
		}
	})
}

// Ignoring case must mean what it means for a pattern and a text in lower case,
// as far as ASCII goes.
func FuzzIgnoreCase(f *testing.F) {
	for _, p := range []string{"abc", "[a-f]+", "x*?y{2}", "(?:é|K)", "^a.b$", "[^a]", `\w\d\bq`} {
		f.Add(p, "xABC aBc É k")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if strings.ContainsAny(pattern, `\[(`) || strings.ContainsFunc(pattern+text, func(r rune) bool { return r > 0x7e }) {
			return // lower-casing those changes what they mean
		}
		got, err := compilePattern(budgettest.Ample(), pattern, true)
		if err != nil {
			return
		}
		want, err := regexp.Compile(strings.ToLower(pattern))
		if err != nil {
			t.Fatalf("%q compiles only in upper case", pattern)
		}
		if found, err := got.in(budgettest.Ample(), text); err != nil || found != want.MatchString(strings.ToLower(text)) {
			t.Fatalf("pattern %q, text %q: %v (%v) %v", pattern, text, found, got.re, err)
		}
	})
}

// Splitting must cut where strings and regexp cut, for patterns that do not look
// at what is before them.
func FuzzSplit(f *testing.F) {
	for _, p := range [][2]string{{",", "a,b,,c"}, {"\\s+", " x  y "}, {"x*", "axxb"}, {"", "abü"}, {"a|ab", "cabab"}, {"é?", "éaé"}} {
		f.Add(p[0], p[1])
	}
	f.Fuzz(func(t *testing.T, text, line string) {
		if strings.ContainsAny(text, "^$\\(") && text != "\\s+" {
			return
		}
		p, err := compilePattern(budgettest.Ample(), text, false)
		if err != nil {
			return
		}
		got, err := p.split(budgettest.Ample(), line)
		if err != nil {
			t.Fatal(err)
		}
		// regexp.Split leaves an empty piece out after a match at the end of an
		// empty text; here a line always has at least one piece.
		want := p.re.Split(line, -1)
		if len(want) == 0 {
			want = []string{""}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q split at %q: %q, want %q", line, text, got, want)
		}
	})
}

// In a long line the pattern is looked for in another way; it must find the same.
func FuzzLongLine(f *testing.F) {
	for _, p := range []string{"b+", "^a*b", "b$", "(a|b)c?$", "\\bx", "é"} {
		f.Add(p, "b", uint(70000))
	}
	f.Fuzz(func(t *testing.T, text, end string, n uint) {
		p, err := compilePattern(budgettest.Ample(), text, false)
		if err != nil || len(end) > 100 {
			return
		}
		line := strings.Repeat("a", longLine+int(n%100)) + end
		got, err := p.find(budgettest.Ample(), line)
		if want := p.re.FindStringIndex(line); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v, %v", text, got, want, err)
		}
	})
}
