package library

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
)

func document(name, code string, more ...string) string {
	return fmt.Sprintf(`{"name": %q, "code": %q, "codeType": "Javascript"%s}`, name, code, strings.Join(more, ""))
}

func parse(t *testing.T, text string) *catalog.Spec {
	t.Helper()
	spec, problems := catalog.Parse([]byte(text))
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return spec
}

func open(t *testing.T, c Config) *Library {
	t.Helper()
	l, err := Open(c)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func names(entries []Entry) string {
	var all []string
	for _, e := range entries {
		all = append(all, string(e.Origin)+":"+e.Spec.Name())
	}
	return strings.Join(all, " ")
}

var now = time.UnixMilli(1_800_000_000_000).UTC()

func TestSaveStampsAndReplacesByToolID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "specs", "bundle.json")
	l := open(t, Config{Bundle: path})
	first, err := l.Save(parse(t, document("one", "return 1;")), now)
	if err != nil {
		t.Fatal(err)
	}
	if first.Created() != now || first.Updated() != now {
		t.Errorf("created %v, updated %v", first.Created(), first.Updated())
	}
	later := now.Add(time.Hour)
	edited, _ := first.With("code", "return 2;")
	second, err := l.Save(edited, later)
	if err != nil {
		t.Fatal(err)
	}
	if second.Created() != now || second.Updated() != later {
		t.Errorf("created %v, updated %v", second.Created(), second.Updated())
	}
	again := open(t, Config{Bundle: path}).Entries()
	if len(again) != 1 || again[0].Spec.Code() != "return 2;" {
		t.Errorf("read back %s", names(again))
	}
}

// A tool that was edited has passed nothing; one that passed stays published.
func TestAnEditIsSavedAsADraft(t *testing.T) {
	l := open(t, Config{Bundle: filepath.Join(t.TempDir(), "bundle.json")})
	const published = `, "draft": false`
	for i, step := range []struct {
		text  string
		draft bool
	}{
		{document("one", "return 1;", published), false}, // nothing was edited
		{document("one", "return 2;", published), true},
		{document("one", "return 2;", published), false}, // it has passed meanwhile
		{document("one", "return 2;", published, `, "x-note": 1`), false},
		{document("one", "return 2;", published, `, "sandboxOverrides": {"fileRead": true}`), true},
	} {
		stored, err := l.Save(parse(t, step.text), now.Add(time.Duration(i)*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if stored.Draft() != step.draft || stored.Created() != now {
			t.Errorf("save %d: draft %v, created %v", i, stored.Draft(), stored.Created())
		}
	}
}

// A tool that has passed with its new content is published by the save itself.
func TestAnEditThatHasPassedIsSavedAsItIs(t *testing.T) {
	dir := t.TempDir()
	passes, err := OpenPasses(filepath.Join(dir, "passes.json"))
	if err != nil {
		t.Fatal(err)
	}
	l := open(t, Config{Bundle: filepath.Join(dir, "bundle.json")})
	first, second := parse(t, document("one", "return 1;", `, "draft": false`)), parse(t, document("one", "return 2;", `, "draft": false`))
	for _, passed := range []bool{false, true} {
		if passed {
			if err := passes.Add(second.Hash(), Pass{Tool: "one", At: now}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := l.SaveAll([]*catalog.Spec{first}, now, passes); err != nil {
			t.Fatal(err)
		}
		stored, err := l.SaveAll([]*catalog.Spec{second}, now, passes)
		if err != nil || stored[0].Draft() == passed {
			t.Errorf("passed %v: %v %s", passed, err, stored[0].Raw())
		}
	}
}

// A tool keeps its identity when it is renamed, although its author never wrote a
// toolId.
func TestTheToolIDIsWrittenDown(t *testing.T) {
	l := open(t, Config{Bundle: filepath.Join(t.TempDir(), "bundle.json")})
	stored, err := l.Save(parse(t, document("one", "return 1;")), now)
	if err != nil {
		t.Fatal(err)
	}
	renamed, problems := stored.With("name", "uno")
	if problems.Err() != nil {
		t.Fatal(problems)
	}
	if again, err := l.Save(renamed, now); err != nil || again.ToolID() != catalog.DeriveToolID("one") || names(l.Entries()) != "bundle:uno" {
		t.Errorf("%v: %s", err, names(l.Entries()))
	}
}

func TestManyAreSavedAndRemovedTogetherOrNotAtAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle.json")
	l := open(t, Config{Bundle: path})
	one, two := parse(t, document("one", "return 1;")), parse(t, document("two", "return 2;"))
	if _, err := l.SaveAll([]*catalog.Spec{one, two, parse(t, document("one", "return 3;"))}, now, nil); err == nil || !strings.Contains(err.Error(), "the same toolId") {
		t.Errorf("two of one toolId: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a part was written")
	}
	if _, err := l.SaveAll([]*catalog.Spec{one, two}, now, nil); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	if err := l.Remove(one.ToolID(), "nosuch"); !errors.Is(err, ErrNotSaved) {
		t.Error(err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("a part was removed")
	}
	whole, err := l.Export()
	if err != nil || !bytes.Equal(whole, before) {
		t.Errorf("the whole bundle: %v\n%s", err, whole)
	}
	part, err := l.Export(two.ToolID())
	b, problems := catalog.ParseBundle(part)
	if err != nil || problems.Err() != nil || len(b.Specs) != 1 || b.Specs[0].Name() != "two" {
		t.Errorf("%v %v\n%s", err, problems, part)
	}
	if _, err := l.Export("nosuch"); !errors.Is(err, ErrNotSaved) {
		t.Error(err)
	}
	if err := l.Remove(one.ToolID(), two.ToolID()); err != nil || len(l.Entries()) != 0 {
		t.Errorf("%v: %s", err, names(l.Entries()))
	}
}

func TestWhatIsNotUnderstoodSurvivesASave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle.json")
	kept := document("one", "return 1;", `, "x-acme-cost":   {"b": 1, "a": [1.0, 1e2]}, "staticVariables": [{"k":"1"},{"k":"2"}]`)
	broken := `{"name": "", "code": 7}`
	write(t, path, `{"x-before": "\u00e9", "toolSpecs": [`+kept+`, `+broken+`], "toolMcpServerSetting": {"autoAdd":  true, "port": 1}}`)
	l := open(t, Config{Bundle: path})
	if trouble := l.Trouble(); len(trouble) != 1 || !strings.Contains(trouble[0].Error(), "/toolSpecs/1/name") {
		t.Errorf("trouble %v", trouble)
	}
	if _, err := l.Save(parse(t, document("two", "return 2;")), now); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{kept, broken, `"x-before": "\u00e9"`, `{"autoAdd":  true, "port": 1}`} {
		if !strings.Contains(string(text), part) {
			t.Errorf("%s is gone from %s", part, text)
		}
	}
}

func TestBuiltinSpecsAreOverriddenByToolIDAndNeverSaved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle.json")
	builtin := []*catalog.Spec{parse(t, document("hash", "return 'builtin';")), parse(t, document("uuid", "return 'builtin';"))}
	l := open(t, Config{Bundle: path, Builtin: builtin})
	mine, err := l.Save(parse(t, document("hash", "return 'mine';")), now)
	if err != nil {
		t.Fatal(err)
	}
	if got := names(l.Entries()); got != "bundle:hash builtin:uuid" {
		t.Errorf("merged: %s", got)
	}
	if text, _ := os.ReadFile(path); strings.Contains(string(text), "uuid") {
		t.Error("a builtin spec was saved")
	}
	if err := l.Remove(mine.ToolID()); err != nil {
		t.Fatal(err)
	}
	if got := names(l.Entries()); got != "builtin:hash builtin:uuid" {
		t.Errorf("after the removal: %s", got)
	}
	if err := l.Remove(mine.ToolID()); !errors.Is(err, ErrNotSaved) {
		t.Errorf("removed twice: %v", err)
	}
}

func TestACorruptBundleIsKeptAsideAndReported(t *testing.T) {
	for _, text := range []string{"", "{\"toolSpecs\": [", "[]", "not json", `{"name":"a spec, no bundle"}`} {
		path := filepath.Join(t.TempDir(), "bundle.json")
		write(t, path, text)
		l := open(t, Config{Bundle: path})
		trouble := l.Trouble()
		if len(trouble) != 1 || !strings.Contains(trouble[0].Error(), path+".corrupt-1") {
			t.Fatalf("%q: trouble %v", text, trouble)
		}
		if kept, err := os.ReadFile(path + ".corrupt-1"); err != nil || string(kept) != text {
			t.Errorf("%q: kept %q, %v", text, kept, err)
		}
		if _, err := l.Save(parse(t, document("one", "return 1;")), now); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestABundleThatBreaksWhileOpenIsNotReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle.json")
	l := open(t, Config{Bundle: path})
	write(t, path, "somebody's notes")
	if _, err := l.Save(parse(t, document("one", "return 1;")), now); err == nil {
		t.Fatal("saved over a file that is no bundle")
	}
	if kept, _ := os.ReadFile(path + ".corrupt-1"); string(kept) != "somebody's notes" {
		t.Errorf("kept %q", kept)
	}
}

func TestConcurrentSavesLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bundle.json")
	var wg sync.WaitGroup
	for n := range 8 { // each with a library of its own, as processes have
		l := open(t, Config{Bundle: path})
		wg.Go(func() {
			if _, err := l.Save(parse(t, document(fmt.Sprint("tool", n), "return 1;")), now); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := open(t, Config{Bundle: path}).Entries(); len(got) != 8 {
		t.Errorf("%d of 8 specs", len(got))
	}
}

func TestABundlesSettingsHideTools(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "bundle.json")
	shown, hidden := document("shown", "return 1;", `, "draft": false`), document("hidden", "return 2;", `, "draft": false`)
	write(t, path, `{"toolSpecs":[`+shown+`,`+hidden+`],"toolMcpServerSetting":{"excludedToolIds":["`+catalog.DeriveToolID("hidden")+`"]}}`)
	passes, err := OpenPasses(filepath.Join(dir, "passes.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{shown, hidden} {
		if err := passes.Add(parse(t, text).Hash(), Pass{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, config := range []Config{{Bundle: path}, {Folders: []string{dir}}} {
		var published []string
		for _, tool := range open(t, config).Tools(passes, nil, nil) {
			if tool.Published() {
				published = append(published, tool.Spec.Name())
			}
		}
		if !slices.Equal(published, []string{"shown"}) {
			t.Errorf("%+v publishes %v", config, published)
		}
	}
}

func TestPublication(t *testing.T) {
	env := func(name string) (string, bool) { return "value", name == "SET" }
	dir := t.TempDir()
	passes, err := OpenPasses(filepath.Join(dir, "passes.json"))
	if err != nil {
		t.Fatal(err)
	}
	published := `, "draft": false`
	pinned, altered := parse(t, document("pinned", "return 1;", published)), parse(t, document("altered", "return 1;", published))
	pins := catalog.Pins{"pinned": pinned.Hash(), "altered": {1}}
	for name, text := range map[string]string{
		"draft":   document("draft", "return 1;"),
		"untried": document("untried", "return 1;", published),
		"good":    document("good", "return 1;", published),
		"needs":   document("needs", "return k;", published, `, "staticVariables": [{"k": "${UNSET} ${SET}"}]`),
		"has":     document("has", "return k;", published, `, "staticVariables": [{"k": "${SET}"}]`),
		"twin1":   document("twin", "return 1;", published),
		"twin2":   document("twin", "return 2;", published, `, "toolId": "another"`),
	} {
		write(t, filepath.Join(dir, name+".json"), text)
		if name != "untried" {
			if err := passes.Add(parse(t, text).Hash(), Pass{Tool: name, At: now}); err != nil {
				t.Fatal(err)
			}
		}
	}
	l := open(t, Config{Folders: []string{dir}, Builtin: []*catalog.Spec{pinned, altered}})
	want := map[string]string{
		"pinned": "ACTIVE true", "altered": "DRAFT false", "draft": "DRAFT false", "untried": "DRAFT false", "good": "ACTIVE true",
		"needs": "MISSING_REQUIREMENTS false", "has": "ACTIVE true", "twin": "ACTIVE false",
	}
	for _, tool := range l.Tools(passes, pins, env) {
		name := tool.Spec.Name()
		if got := fmt.Sprint(tool.State, " ", tool.Published()); got != want[name] {
			t.Errorf("%s: %s, want %s", name, got, want[name])
		}
		if name == "needs" && strings.Join(tool.Missing, " ") != "UNSET" {
			t.Errorf("missing %v", tool.Missing)
		}
		if name == "twin" && !strings.Contains(fmt.Sprint(tool.Problems), "twin") {
			t.Errorf("the clash does not name the files: %v", tool.Problems)
		}
	}
}

func TestPassesSurviveAndADamagedFileIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "passes.json")
	p, err := OpenPasses(path)
	if err != nil {
		t.Fatal(err)
	}
	h := catalog.ContentHash{7}
	if err := p.Add(h, Pass{Tool: "x", At: now}); err != nil {
		t.Fatal(err)
	}
	if p, err = OpenPasses(path); err != nil || !p.Has(h) || p.Has(catalog.ContentHash{8}) {
		t.Errorf("read back: %v", err)
	}
	write(t, path, "{")
	if p, err = OpenPasses(path); err == nil || p.Has(h) {
		t.Error("a damaged file passes tools")
	}
	if _, err := os.Stat(path + ".corrupt-1"); err != nil {
		t.Error(err)
	}
}

// TestPassesOfSeveralProcessesAddUp: each has read the file before the others
// wrote.
func TestPassesOfSeveralProcessesAddUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "passes.json")
	var wg sync.WaitGroup
	const processes = 20
	for i := range processes {
		p, err := OpenPasses(path)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if err := p.Add(catalog.ContentHash{byte(i)}, Pass{Tool: "x", At: now}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	p, err := OpenPasses(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range processes {
		if !p.Has(catalog.ContentHash{byte(i)}) {
			t.Errorf("pass %d is lost", i)
		}
	}
	write(t, path, "null")
	if err := p.Add(catalog.ContentHash{99}, Pass{}); err != nil || !p.Has(catalog.ContentHash{1}) {
		t.Error(err)
	}
}

func TestWatchReloads(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Folders: []string{dir}, Bundle: filepath.Join(t.TempDir(), "bundle.json")})
	changed := make(chan error, 16)
	done := make(chan error)
	go func() { done <- l.Watch(t.Context(), func(err error) { changed <- err }) }()
	// The watch may begin before the first write or after it.
	for n := range 3 {
		want := fmt.Sprint("folder:tool", n)
		write(t, filepath.Join(dir, "tool.json"), document(want[len("folder:"):], "return 1;"))
		for names(l.Entries()) != want {
			select {
			case err := <-changed:
				if err != nil {
					t.Fatal(err)
				}
			case err := <-done:
				t.Fatalf("the watch ended: %v", err)
			case <-time.After(time.Minute):
				t.Fatalf("%s was not seen; there is %s", want, names(l.Entries()))
			}
		}
	}
}

// TestWatchSeesWhatChangedBefore it began and after the library was opened.
func TestWatchSeesWhatChangedBefore(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Folders: []string{dir}, Passes: filepath.Join(t.TempDir(), "passes.json")})
	write(t, filepath.Join(dir, "tool.json"), document("tool", "return 1;"))
	changed := make(chan error, 1)
	go l.Watch(t.Context(), func(err error) { changed <- err })
	select {
	case err := <-changed:
		if err != nil || names(l.Entries()) != "folder:tool" {
			t.Errorf("%s, %v", names(l.Entries()), err)
		}
	case <-time.After(time.Minute):
		t.Error("it was not seen")
	}
}

// TestWatchAFolderThatIsNeverQuiet: a file that is written all the time does not
// keep the others from being read.
func TestWatchAFolderThatIsNeverQuiet(t *testing.T) {
	dir := t.TempDir()
	l := open(t, Config{Folders: []string{dir}})
	changed := make(chan error, 1)
	go l.Watch(t.Context(), func(err error) {
		select {
		case changed <- err:
		default:
		}
	})
	write(t, filepath.Join(dir, "tool.json"), document("tool", "return 1;"))
	deadline := time.After(10 * longest)
	for n := 0; ; n++ {
		write(t, filepath.Join(dir, "noise.json"), fmt.Sprint(n))
		select {
		case <-deadline:
			t.Fatal("nothing was read")
		case <-changed:
			if names(l.Entries()) == "folder:tool" {
				return
			}
		case <-time.After(settle / 5):
		}
	}
}
