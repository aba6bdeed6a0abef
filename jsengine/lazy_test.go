package jsengine

import (
	"context"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/guest/prelude"
)

// A library of three files: a global, a namespace member that needs another
// file, and a method.
var library = []prelude.File{
	{Name: "shape.js", Installs: []string{"Shape", "makeShape"}, Source: "host.log('log', 'shape.js'); host.install('Shape', class Shape {}); host.install('makeShape', () => new (globalThis.Shape)());"},
	{Name: "draw.js", Installs: []string{"studio.draw"}, After: []string{"shape.js"}, Source: "host.log('log', 'draw.js'); host.install('studio.draw', () => 'drawn ' + (makeShape() instanceof Shape));"},
	{Name: "ink.js", Installs: []string{"studio.ink"}, Needs: []string{"test.ink"}, Source: "host.install('studio.ink', 'black');"},
	{Name: "locale.js", Installs: []string{"Date.prototype.toLocaleString"}, Source: "host.log('log', 'locale.js'); host.install('Date.prototype.toLocaleString', function (a) { return 'local ' + (this instanceof Date) + a; });"},
}

// The files log their names, which is forbidden while an image is built, so files
// evaluated there stay quiet.
func lazyEngine(t *testing.T, quiet bool) *Engine {
	t.Helper()
	e := testEngine(t)
	for _, f := range library {
		if quiet {
			_, rest, found := strings.Cut(f.Source, ".js'); ")
			if found {
				f.Source = rest
			}
		}
		e.prelude = append(e.prelude, f)
	}
	return e
}

func TestFilesAreEvaluatedWhenFirstUsed(t *testing.T) {
	e := lazyEngine(t, false)
	for _, c := range []struct{ name, body, want, logs string }{
		{"nothing is used", `return 1`, `1`, ""},
		{"a global", `const k = 'Sha' + 'pe'; return [typeof globalThis[k], new globalThis[k]() instanceof globalThis[k]]`, `["function",true]`, "shape.js"},
		{"a member, after what it needs", `return globalThis['stu' + 'dio']['dr' + 'aw']()`, `"drawn true"`, "shape.js draw.js"},
		{"a method", `return new Date(0)['toLocale' + 'String'](7)`, `"local true7"`, "locale.js"},
		{"what was not granted is not there", `const s = globalThis['stu' + 'dio']; return ['i' + 'nk' in s, typeof s['i' + 'nk']]`, `[false,"undefined"]`, ""},
		{"twice", `const k = 'Sha' + 'pe'; return globalThis[k] === globalThis[k]`, `true`, "shape.js"},
		{"a tool's own global", `const k = 'Sha' + 'pe'; globalThis[k] = 5; return globalThis[k]`, `5`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			image := testImage(t, e, c.body)
			for range 2 { // the second call starts from the image again
				out := image.Call(t.Context(), Call{})
				var logs []string
				for _, l := range out.Logs {
					logs = append(logs, l.Text)
				}
				if out.Failure != nil || string(out.Result) != c.want || strings.Join(logs, " ") != c.logs {
					t.Errorf("%s %v, logs %q; want %s, logs %q", out.Result, out.Failure, logs, c.want, c.logs)
				}
			}
		})
	}
}

func TestFilesThatTheCodeMentionsAreInTheImage(t *testing.T) {
	e := lazyEngine(t, true)
	image, err := e.Image(context.Background(), Program{File: "tool.js", Body: `return [studio.draw(), studio.ink, new Date(0).toLocaleString(1)]`, Operations: []string{"test.ink"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range library {
		if _, waits := image.later[f.Name]; waits {
			t.Errorf("%s waits", f.Name)
		}
	}
	if out := image.Call(t.Context(), Call{}); string(out.Result) != `["drawn true","black","local true1"]` {
		t.Errorf("%s %v", out.Result, out.Failure)
	}
}

func TestToolsCannotLoadFilesThemselves(t *testing.T) {
	e := lazyEngine(t, false)
	image := testImage(t, e, `
		const found = [];
		const k = 'Sha' + 'pe';
		const d = Object.getOwnPropertyDescriptor(globalThis, k);
		try { d.get.call({}, 'ink.js'); } catch (e) { found.push(e.message); }
		Map.prototype.get = () => 'ink.js';
		return [typeof globalThis[k], 'i' + 'nk' in globalThis['stu' + 'dio'], found];`)
	if out := image.Call(t.Context(), Call{}); string(out.Result) != `["function",false,[]]` {
		t.Errorf("%s %v", out.Result, out.Failure)
	}
}
