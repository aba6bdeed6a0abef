package console_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
)

// TestASpecIsWritten: from the starter over problems, a Local Pass and a draft to a spec
// that is published, all on record and without script.
func TestASpecIsWritten(t *testing.T) {
	s := staged(t)
	s.equipped()
	b := s.signedIn("local:ada", "manage")
	p := b.get("write")
	if got := p.Find("#text").Text(); !strings.Contains(got, "my_tool") {
		t.Fatalf("the editor begins with %q", got)
	}
	press := func(act, text string) *shown {
		t.Helper()
		values := url.Values{"token": {p.token()}, "file": {p.Find("input[name=file]").AttrOr("value", "")}, "version": {p.Find("input[name=version]").AttrOr("value", "")}, "text": {text}}
		p = b.post("write/"+act, values)
		return p
	}
	text := func() string { return strings.TrimPrefix(p.Find("#text").Text(), "\n") }
	acts := len(s.acts())
	press("check", "{\r\n  \"name\": \"sum\",\r\n  \"code\": 7\r\n}")
	if got := p.Find("#problems").Parent().Text(); !strings.Contains(got, "3:11") || !strings.Contains(got, "/code") {
		t.Errorf("the problems are %q", got)
	}
	if len(s.acts()) != acts {
		t.Error("a check is on record")
	}
	document := spec("sum", "return a + 1;", `, "params": [{"name": "a", "type": "INTEGER", "required": true, "testValue": "1"}], "sandboxOverrides": {"fileRead": true}`)
	press("check", document)
	if got := p.Find("#granted").Parent().Text(); !strings.Contains(got, "L3 Moderate") || !strings.Contains(got, "reads files of the workspace") {
		t.Errorf("level and posture are %q", got)
	}
	document = strings.Replace(document, `"fileRead": true`, "", 1)
	if press("publish", document); !strings.Contains(p.Find(".note-line.bad").Text(), "no Local Pass") {
		t.Errorf("publishing it unproved says %q", p.Find(".note-line").Text())
	}
	if press("save", document); !strings.Contains(p.Find(".note-line").Text(), "Saved as a draft") || !strings.Contains(text(), `"draft": true`) {
		t.Errorf("saving says %q of %s", p.Find(".note-line").Text(), text())
	}
	file := filepath.Join(s.Folder, "sum.json")
	saved, err := os.ReadFile(file)
	if err != nil || string(saved) != text() {
		t.Errorf("saved is %s, %v", saved, err)
	}
	if press("pass", text()); !strings.Contains(p.Find(".note-line").Text(), "It passed") || p.Find("#pass ~ .json dd").Text() != "2" {
		t.Errorf("the pass says %q, %q", p.Find(".note-line").Text(), p.Find("#pass").Parent().Text())
	}
	if press("publish", text()); !strings.Contains(p.Find(".note-line").Text(), "Published") {
		t.Errorf("publishing says %q", p.Find(".note-line").Text())
	}
	published, problems := catalog.Parse(read(t, file))
	if problems.Err() != nil || published.Draft() {
		t.Errorf("the file has %s", read(t, file))
	}
	// Every act has who, and what.
	var names []string
	for _, a := range s.acts()[acts:] {
		if a.Caller != "local:ada" || !strings.Contains(string(a.Parameters), "sum") {
			t.Errorf("on record is %+v", a)
		}
		names = append(names, strings.TrimPrefix(a.Tool, "console/"))
	}
	if got := strings.Join(names, " "); got != "spec-publish spec-save spec-pass spec-publish" {
		t.Errorf("on record are %s", got)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestNothingIsOverwritten: neither a file that nobody opened nor one that changed since.
func TestNothingIsOverwritten(t *testing.T) {
	s := staged(t)
	s.equipped()
	b := s.signedIn("local:ada", "manage")
	file := filepath.Join(s.Folder, "sum.json")
	if err := os.WriteFile(file, []byte(spec("sum", "return 1", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	values := url.Values{"token": {b.get("write").token()}, "text": {spec("sum", "return 2", "")}}
	if p := b.post("write/save", values); !strings.Contains(p.Find(".note-line.bad").Text(), "There is a file sum.json already") {
		t.Errorf("the page says %q", p.Find(".note-line").Text())
	}
	p := b.get("write?file=sum.json")
	if err := os.WriteFile(file, []byte(spec("sum", "return 3", "")), 0o600); err != nil {
		t.Fatal(err)
	}
	values.Set("file", "sum.json")
	values.Set("version", p.Find("input[name=version]").AttrOr("value", ""))
	if p := b.post("write/save", values); !strings.Contains(p.Find(".note-line.bad").Text(), "was changed since you opened it") || !strings.Contains(p.Find("#text").Text(), "return 2") {
		t.Errorf("the page says %q, and has %s", p.Find(".note-line").Text(), p.Find("#text").Text())
	}
	if got := string(read(t, file)); !strings.Contains(got, "return 3") {
		t.Errorf("the file has %s", got)
	}
}

func TestWhoMayWrite(t *testing.T) {
	s := staged(t)
	s.equipped()
	b := s.signedIn("local:eve", "answer")
	if got := b.get("write").status; got != http.StatusForbidden {
		t.Errorf("who may answer sees the editor: %d", got)
	}
	for _, act := range []string{"check", "save", "pass", "publish"} {
		if got := b.post("write/"+act, url.Values{"token": {b.get("now").token()}, "text": {spec("x", "return 1", "")}}).status; got != http.StatusForbidden {
			t.Errorf("%s: %d", act, got)
		}
	}
	ada := s.signedIn("local:ada", "manage")
	for _, name := range []string{"../../etc/passwd", "/etc/passwd", ".json", "no.json"} {
		if got := ada.get("write?file=" + url.QueryEscape(name)).status; got != http.StatusNotFound {
			t.Errorf("%s is opened: %d", name, got)
		}
	}
}
