package trace

import (
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

func find(text string) (all []string) {
	Each([]byte(text), func(id string, start, end int) { all = append(all, id+" "+text[start:end]) })
	return all
}

func TestEach(t *testing.T) {
	for text, want := range map[string][]string{
		"open /home/ada/notes.txt.":                             {"path /home/ada/notes.txt"},
		"see file:///var/log/app.log":                           {"path file:///var/log/app.log"},
		"https://acme.test/home/ada":                            nil,
		"GET /orders/7":                                         nil,
		`in C:\Users\ada\x.txt`:                                 {`path C:\Users\ada\x.txt`},
		`CODE:\nDone`:                                           nil,
		"    at f (app.js:10:5)":                                {"stack-frame at f (app.js:10:5)"},
		"\tat com.acme.Main.run(Main.java:12)":                  {"stack-frame at com.acme.Main.run(Main.java:12)"},
		`  File "app.py", line 3, in <module>`:                  {`stack-frame File "app.py", line 3, in <module>`},
		"meet me at noon: it (the shop) opens then, at last: 5": nil,
	} {
		if got := find(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// A stack as Go prints it: the heading and every line with a place.
func TestAStackOfGo(t *testing.T) {
	stack := string(debug.Stack())
	got := strings.Join(find(stack), "\n")
	heading, _, _ := strings.Cut(stack, "\n")
	if !strings.Contains(got, "stack-frame "+heading) {
		t.Errorf("no %q in %q", heading, got)
	}
	for line := range strings.SplitSeq(stack, "\n") {
		if place := strings.TrimSpace(line); strings.HasPrefix(place, "/") && !strings.Contains(got, "stack-frame "+place) {
			t.Errorf("no %q in %q", place, got)
		}
	}
}

func FuzzEach(f *testing.F) {
	f.Add("/tmp/ c:\\a\\b at x (:1")
	f.Fuzz(func(t *testing.T, text string) {
		Each([]byte(text), func(id string, start, end int) {
			if start < 0 || start >= end || end > len(text) {
				t.Errorf("%s %d to %d of %d", id, start, end, len(text))
			}
		})
	})
}
