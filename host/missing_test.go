package host_test

import (
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/host"
)

// What is not granted is absent; the error says what would grant it.
func TestAnErrorSaysWhatWouldGrantAName(t *testing.T) {
	for _, c := range []struct {
		overrides map[string]any
		code      string
		says      []string
	}{
		{nil, "return (await fetch('http://a.example/')).json();", []string{"fetch is not defined", `"networkMode"`, `"hostsAllow"`}},
		{nil, "return safety.fs.readText('a');", []string{"'readText' of undefined", `"fileRead": true`}},
		{nil, "return safety.fs.writeText('a', 'b');", []string{`"fileWrite": true`}},
		{nil, "return safety.fs.deleteDir('a');", []string{`"destructive": true`}},
		{map[string]any{"fileRead": true}, "return safety.fs.writeText('a', 'b');", []string{"safety.fs.writeText is not a function", `"fileWrite": true`}},
		{map[string]any{"fileWrite": true}, "return safety.fs.delete('a');", []string{"safety.fs.delete is not a function", `"destructive": true`}},
		{nil, "const fs = require('fs');", []string{"require is not defined", "no modules"}},
		{nil, "return process.env.KEY;", []string{"static variables"}},
		{nil, "new ReadableStream();", []string{"ReadableStream is not defined", "no streams"}},
	} {
		w := host.World{Workspace: workspace(t, nil)}
		got := run(t, w, c.overrides, c.code)
		if got.Failure == nil {
			t.Errorf("%s: %s", c.code, got.Value)
			continue
		}
		for _, want := range c.says {
			if !strings.Contains(got.Failure.Message, want) {
				t.Errorf("%s: %q says nothing of %s", c.code, got.Failure.Message, want)
			}
		}
	}
	if got := run(t, host.World{}, nil, "return nothing;"); got.Failure == nil || got.Failure.Message != "nothing is not defined" {
		t.Errorf("%v", got.Failure)
	}
}

// Only what nobody catches is passed on, whatever becomes of the error meanwhile.
func TestAToolErrorIsToldAndNothingElseIs(t *testing.T) {
	for code, told := range map[string]string{
		"throw new ToolError('no such city')":  "no such city",
		"await null; throw new ToolError(404)": "404",
		"const e = new ToolError('first', { cause: 1 }); e.message = 'second'; if (e.cause === 1) throw e;": "first",
		"try { throw new Error('inner') } catch (e) { throw new ToolError('city ' + 1) }":                   "city 1",
		"class Mine extends ToolError {} throw new Mine('of my own')":                                       "of my own",
		"throw new ToolError('x'.repeat(5000))":                                                             strings.Repeat("x", 1000),
		"throw new Error('private')":                                                                        "",
		"try { throw new ToolError('caught') } catch (e) { throw new Error(e.message) }":                    "",
		"throw { name: 'ToolError', message: 'faked' }":                                                     "",
		"throw Object.assign(new Error('faked'), { name: 'ToolError' })":                                    "",
		"const e = new ToolError('a'); if (!(e instanceof Error) || e.name !== 'ToolError' || String(e) !== 'ToolError: a') throw new ToolError('odd'); throw new Error()": "",
	} {
		got := run(t, host.World{}, nil, code)
		if got.Failure == nil || got.Failure.Told != told {
			t.Errorf("%s: %+v", code, got.Failure)
		}
	}
}
