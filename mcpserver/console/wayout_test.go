package console_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/console"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
)

// codes are all reasons to withhold a tool, as their declarations have them.
func codes(t *testing.T) (all []exposure.Code) {
	text, err := os.ReadFile("../exposure/admission.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\bCode = "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1) {
		all = append(all, exposure.Code(m[1]))
	}
	if len(all) < 20 {
		t.Fatalf("only the codes %v were found", all)
	}
	return all
}

// TestEveryRefusalSaysWhatToPress: whatever withholds a tool, the console leads to a page
// of its own that there is, in words that need no command line; or it says that nobody
// here can change it.
func TestEveryRefusalSaysWhatToPress(t *testing.T) {
	s := staged(t)
	_, at := offering(t, "Reads a note.")
	s.added("notes", at, exposure.Enabled)
	b := s.signedIn("local:ada", "manage")
	b.submit(b.get("servers/notes"), "form[action$='/test']", nil)
	b.submit(b.get("compositions"), "form[action$='create']", map[string][]string{"name": {"docs"}, "members": {"notes/read_0"}})
	helpless := map[exposure.Code]bool{exposure.BadDefinition: true, exposure.Ambiguous: true, exposure.Unreadable: true}
	for _, code := range codes(t) {
		for _, set := range []string{exposure.Exposed, "docs"} {
			if code == exposure.EmptySet && set == exposure.Exposed {
				continue // only a composition is empty
			}
			w := exposure.Withheld{Set: set, Upstream: "notes", Tool: "read_0", Code: code, WayOut: "glovebox something --approve"}
			way := console.WayOf(s.Console, w)
			if way.Do == "" || strings.Contains(way.Do, "glovebox ") || strings.Contains(way.Do, "--") {
				t.Errorf("%s: what to press is %q", code, way.Do)
			}
			if way.Command != w.WayOut {
				t.Errorf("%s: on the command line it is %q", code, way.Command)
			}
			if (way.Link == "") != helpless[code] {
				t.Errorf("%s leads to %q", code, way.Link)
			}
			if way.Link != "" && b.get(strings.TrimPrefix(way.Link, mustPath(t, b.Base))).status != 200 {
				t.Errorf("%s leads to %s, which is no page", code, way.Link)
			}
		}
	}
}
