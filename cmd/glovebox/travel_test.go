package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// These tests let one machine test specs, and another serve them.

const travels = `{"name": "far", "description": "From afar.", "code": "return 7;", "codeType": "Javascript", "draft": false}`

// signs tests the specs of a folder on another machine and returns its public key.
func (m *machine) signs(t *testing.T, dir string, more ...string) (key string) {
	t.Helper()
	out, err := m.command(append([]string{"test", "--sign", dir}, more...)...).CombinedOutput()
	said := regexp.MustCompile(`(?m)^signed \S+passes\.note; specs\.pass_keys: (glovebox-passes\+\S+)$`).FindSubmatch(out)
	if err != nil || said == nil {
		t.Fatalf("%v: %s", err, out)
	}
	return string(said[1])
}

func emptyMachine(t *testing.T) *machine {
	return &machine{state: t.TempDir(), specs: t.TempDir()}
}

// gets calls a tool until the answer holds a text.
func (p *program) gets(id int, tool, want string) {
	p.t.Helper()
	p.send(callTool(id, tool, `{}`, stateless))
	if got := p.next(fmt.Sprintf(`"id":%d,`, id)).Raw; !strings.Contains(got, want) {
		p.t.Errorf("%s: %s, not %s", tool, got, want)
	}
}

// TestSignedPassesTravelWithSpecs: what passed there is served here, without a test, as
// long as it is what passed there and a key that is named here signed it. What the
// server says to do about a refusal works.
func TestSignedPassesTravelWithSpecs(t *testing.T) {
	t.Parallel()
	author, here := emptyMachine(t), emptyMachine(t)
	spec, note := filepath.Join(here.specs, "far.json"), filepath.Join(here.specs, "passes.note")
	put(t, spec, travels)
	key := author.signs(t, here.specs)
	if again := author.signs(t, here.specs); again != key {
		t.Errorf("the second time it signs with %s, not with %s", again, key)
	}
	whole, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(author.state, "glovebox", "pass.key")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", info.Mode(), err)
	}

	// Nobody's key is named: the refusal names the one to add.
	p := here.start(t, "server without a key", "--stdio")
	p.told("passes.note", "specs.pass_keys does not name the key", key[:len("glovebox-passes+12345678")])
	p.told("withheld far", "no Local Pass here")
	p.gets(1, "far", `"error"`)
	p.leave()

	p = here.start(t, "server", "--stdio", "--pass-key", key)
	p.gets(1, "far", `"text":"7"`)

	// Another content is not what passed. It is tested again where the key is.
	put(t, spec, strings.Replace(travels, "7", "8", 1))
	p.told("withheld far", "its content is not what passed in "+note, "glovebox test --sign on it where it was signed")
	p.gets(2, "far", `"error"`)
	author.signs(t, here.specs)
	p.told("serving far")
	p.gets(3, "far", `"text":"8"`)

	// A file that is tampered with changes nothing that was accepted, and is said.
	put(t, note, strings.Replace(string(whole), " far", " fur", 1))
	p.told("passes.note", "changed after it was signed", "what it held before stays")
	p.gets(4, "far", `"text":"8"`)
	// A file that is gone is gone.
	if err := os.Remove(note); err != nil {
		t.Fatal(err)
	}
	p.told("withheld far", "no Local Pass here")
	p.gets(5, "far", `"error"`)
	p.leave()

	// A new start has accepted nothing before.
	put(t, note, strings.Replace(string(whole), " far", " fur", 1))
	p = here.start(t, "server after it was changed", "--stdio", "--pass-key", key)
	p.told("passes.note", "changed after it was signed")
	p.gets(1, "far", `"error"`)
	author.signs(t, here.specs)
	p.told("serving far")
	p.gets(2, "far", `"text":"8"`)
	p.leave()
}

// refuses lets test --sign fail.
func (m *machine) refuses(t *testing.T, dir, why string, more ...string) {
	t.Helper()
	if out, err := m.command(append([]string{"test", "--sign", dir}, more...)...).CombinedOutput(); err == nil || !strings.Contains(string(out), why) {
		t.Errorf("%v: %s", err, out)
	}
}

// TestSignedPassesEnd: they stop to count in a server that runs, and nothing has to
// happen for that.
func TestSignedPassesEnd(t *testing.T) {
	t.Parallel()
	author, here := emptyMachine(t), emptyMachine(t)
	put(t, filepath.Join(here.specs, "far.json"), travels)
	key := author.signs(t, here.specs, "--valid-for", "8s")
	p := here.start(t, "server", "--stdio", "--pass-key", key)
	p.told("passes.note", "its passes have expired", "glovebox test --sign")
	p.told("withheld far")
	p.gets(1, "far", `"error"`)
	author.signs(t, here.specs, "--valid-for", "0s")
	p.told("serving far")
	p.gets(2, "far", `"text":"7"`)
	p.leave()
}

// TestAKeyOfOnesOwnSigns: one that was copied, as a build server has it.
func TestAKeyOfOnesOwnSigns(t *testing.T) {
	t.Parallel()
	author, build := emptyMachine(t), emptyMachine(t)
	put(t, filepath.Join(build.specs, "far.json"), travels)
	key := author.signs(t, build.specs)
	text, err := os.ReadFile(filepath.Join(author.state, "glovebox", "pass.key"))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "key")
	build.refuses(t, build.specs, "there is no key to sign passes with", "--signing-key", copied)
	put(t, copied, string(text))
	if got := build.signs(t, build.specs, "--signing-key", copied); got != key {
		t.Errorf("it signs with %s, not with %s", got, key)
	}
	if err := os.Chmod(copied, 0o644); err != nil {
		t.Fatal(err)
	}
	build.refuses(t, build.specs, "run chmod 600 on it", "--signing-key", copied)
	put(t, filepath.Join(build.specs, "bad.json"), `{"name": "bad", "code": "throw new Error('no');", "codeType": "Javascript", "draft": false}`)
	build.refuses(t, build.specs, "is not replaced: specs.pass_keys does not name the key that signed it")
	put(t, filepath.Join(build.specs, "passes.note"), "what to buy")
	author.refuses(t, build.specs, "is not replaced: it is no file of signed passes")
}

// TestSpecsAreTestedAtTheStart: those that no person would be asked about, with their
// own values, in the sandbox; the others say what helps.
func TestSpecsAreTestedAtTheStart(t *testing.T) {
	t.Parallel()
	m := emptyMachine(t)
	put(t, filepath.Join(m.specs, "far.json"), travels)
	put(t, filepath.Join(m.specs, "bad.json"), `{"name": "bad", "description": "Fails.", "code": "throw new Error('no');", "codeType": "Javascript", "draft": false}`)
	put(t, filepath.Join(m.specs, "draft.json"), `{"name": "draft", "description": "A draft.", "code": "return 1;", "codeType": "Javascript", "draft": true}`)
	put(t, filepath.Join(m.specs, "writes.json"), `{"name": "writes", "description": "Writes.", "code": "return 1;", "codeType": "Javascript", "draft": false, "sandboxOverrides": {"fileWrite": true}}`)
	put(t, filepath.Join(m.specs, "reads.json"), `{"name": "reads", "description": "Reads.", "code": "return typeof safety.fs;", "codeType": "Javascript", "draft": false, "sandboxOverrides": {"fileRead": true}, "humanInTheLoop": {"mode": "DISABLED"}}`)
	p := m.start(t, "server", "--stdio", "--test")
	for _, want := range [][]string{{"serving far"}, {"serving reads"}, {"bad has no Local Pass", "exception: Error: no"}, {"writes has no Local Pass", "ask a person", "run glovebox test on it"}} {
		p.read = 0 // in any order
		p.told(want...)
	}
	p.gets(1, "far", `"text":"7"`)
	p.gets(2, "reads", `\"object\"`)
	for i, tool := range []string{"bad", "writes", "draft"} {
		p.gets(3+i, tool, `"error"`)
	}
	p.leave()
	// The next start knows.
	p = m.start(t, "next", "--stdio")
	p.gets(1, "far", `"text":"7"`)
	p.leave()
}
