package main

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These tests change the files of a real process while it serves.

// told waits until standard error says something new that holds all texts.
func (p *program) told(texts ...string) string {
	p.t.Helper()
	for started := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		for line := range strings.Lines(p.stderr.String()[p.read:]) {
			found := strings.HasSuffix(line, "\n")
			for _, text := range texts {
				found = found && strings.Contains(line, text)
			}
			if found {
				p.read += strings.Index(p.stderr.String()[p.read:], line) + len(line)
				return line
			}
		}
		if time.Since(started) > patience {
			p.t.Fatalf("%s did not say %q after:\n%s", p.name, texts, p.stderr.String()[:p.read])
		}
	}
}

// answers calls add and wants a text in the answer.
func (p *program) answers(id int, want string) {
	p.t.Helper()
	p.send(callTool(id, "add", `{"a":1}`, stateless))
	if got := p.next(fmt.Sprintf(`"id":%d,`, id)).Raw; !strings.Contains(got, want) {
		p.t.Errorf("%s instead of %s", got, want)
	}
}

// put writes a file in one step, as editors do that rename.
func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestTheConfigurationChangesWhileServing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	file := filepath.Join(t.TempDir(), "config.yaml")
	put(t, file, "# nothing yet\n")
	p := m.start(t, "server", "--stdio", "--config", file)
	p.answers(1, `{\"sum\":2}`)

	put(t, file, "policy:\n  tools: {add: refuse, ad: refuse}\nlisten: 127.0.0.1:1\n")
	p.told(`speaks of "ad", and no tool here has that name`)
	p.told("read again", "changed: policy.tools", "needs a restart: listen")
	const refused = "does not run this tool"
	p.answers(2, refused)

	// Whatever happens to the file now, what was read last stays, and it is said why.
	put(t, file, "policy:\n  tools: {add: trust}\n  ceiling: L9\n")
	p.told("what was read before stays")
	p.told("config.yaml:3:12: CFG07: policy.ceiling: ")
	p.answers(3, refused)
	put(t, file, "policy: [\n")
	p.told("config.yaml:1:9: CFG02: ")
	p.answers(4, refused)
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	p.told("CFG01: the file is blank")
	p.answers(5, refused)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	p.told("CFG01: ", "no such file")
	p.answers(6, refused)

	// A folder that cannot be used is as bad as a value that cannot be read.
	put(t, file, "policy: {tools: {add: trust}}\nworld: {secrets: nowhere}\n")
	p.told("nowhere: no such file")
	p.answers(7, refused)
	put(t, filepath.Join(filepath.Dir(file), "nowhere"), "A=1\n")
	p.told("changed: policy.tools, world.secrets, the content of ", "nowhere")
	p.answers(8, `{\"sum\":2}`)

	// Comments alone ask for the defaults.
	put(t, file, "# nothing\n")
	p.told("changed: policy.tools, world.secrets")
	p.answers(9, `{\"sum\":2}`)

	// A file that is named counts by its content.
	secrets := filepath.Join(filepath.Dir(file), "secrets")
	put(t, secrets, "A=1\n")
	put(t, file, "world: {secrets: secrets}\n")
	p.told("changed: world.secrets")
	put(t, secrets, "A=2\n")
	p.told("changed: the content of ", "secrets")

	// Tools come and go.
	uuid := func(id int, want string) {
		t.Helper()
		p.send(callTool(id, "uuid", `{}`, stateless))
		if got := p.next(fmt.Sprintf(`"id":%d,`, id)).Raw; !strings.Contains(got, want) {
			t.Errorf("%s instead of %s", got, want)
		}
	}
	uuid(20, "unknown tool")
	put(t, file, "specs: {preset: dev-essentials}\ntelemetry: {log_level: info}\n")
	p.told("changed: specs.preset, world.secrets, telemetry.log_level")
	uuid(21, `"result"`)
	put(t, file, "specs: {preset: dev-essential}\n")
	p.told("CFG07: specs.preset: ", "did you mean dev-essentials?")
	uuid(22, `"result"`)
	put(t, file, "specs: {}\n")
	p.told("changed: specs.preset, ")
	uuid(23, "unknown tool")

	// A limit counts for tools that are known already.
	put(t, file, "limits: {fuel: 1}\n")
	p.told("changed: limits.fuel")
	p.answers(10, "isError")
	put(t, file, "limits: {}\n")
	p.told("changed: limits.fuel")
	p.answers(11, `{\"sum\":2}`)

	// Writes in pieces and series of edits end with the final content.
	for i := range 40 {
		text := fmt.Sprintf("policy: {tools: {add: %s}}\n", []string{"ask", "refuse"}[i%2])
		if i%3 == 0 {
			f, err := os.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, piece := range strings.SplitAfter(text, " ") {
				if _, err := f.WriteString(piece); err != nil {
					t.Fatal(err)
				}
			}
			f.Close()
			continue
		}
		put(t, file, text)
	}
	put(t, file, "policy: {tools: {add: refuse}}\nlimits: {timeout: 12345ms}\n")
	p.told("limits.timeout")
	p.answers(12, refused)

	// Told to, it reads again what did not change.
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.told("read again")
	p.answers(13, refused)
	p.leave()
}

// TestAConfigurationThatComesLater: one that was not there at the start is found, and
// one that is behind symbolic links is, when these change, as a ConfigMap's do.
func TestAConfigurationThatComesLater(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	p := m.start(t, "server", "--stdio")
	p.answers(1, `{\"sum\":2}`)
	dir := filepath.Join(m.state, "config", "glovebox")
	for version, word := range map[string]string{"v1": "refuse", "v2": "trust"} {
		if err := os.MkdirAll(filepath.Join(dir, version), 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(dir, version, "config.yaml"), "policy: {tools: {add: "+word+"}}\n")
	}
	swap := func(version string) {
		if err := errors.Join(os.Symlink(version, filepath.Join(dir, "new")), os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "current"))); err != nil {
			t.Fatal(err)
		}
	}
	swap("v1")
	if err := os.Symlink("current/config.yaml", filepath.Join(dir, "config.yaml")); err != nil {
		t.Fatal(err)
	}
	p.told("changed: policy.tools")
	p.answers(2, "does not run this tool")
	swap("v2")
	p.told("changed: policy.tools")
	p.answers(3, `{\"sum\":2}`)
	p.leave()
}

// TestAQuestionDoesNotOutliveItsPolicy: what a person approved under one policy does
// not run under the next.
func TestAQuestionDoesNotOutliveItsPolicy(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	file := filepath.Join(t.TempDir(), "config.yaml")
	put(t, file, "policy: {ceiling: L5}\n")
	p := m.start(t, "server", "--stdio", "--config", file)
	ask := func(id int) string {
		p.send(callTool(id, "tidy", `{}`, stateless))
		state := p.next(fmt.Sprintf(`"id":%d,`, id)).Get("result.requestState").Str
		if state == "" {
			t.Fatal("no question")
		}
		return state
	}
	yes := func(id int, state, want string) {
		p.send(callTool(id, "tidy", `{}`, fmt.Sprintf(`,"requestState":%q,"inputResponses":{"approval":{"action":"accept"}}%s`, state, stateless)))
		if got := p.next(fmt.Sprintf(`"id":%d,`, id)).Raw; !strings.Contains(got, want) {
			t.Errorf("%s instead of %s", got, want)
		}
	}
	yes(2, ask(1), `\"tidied\"`)
	for i, text := range []string{
		"policy: {ceiling: L4}\n",
		"policy: {ceiling: L4, tools: {other: ask}}\n",
		"policy: {ceiling: L4, tools: {other: ask}}\nposture: {baseline: {network: strict}}\n", // the same policy, another posture
	} {
		state := ask(10 * (i + 1))
		put(t, file, text)
		p.told("read again")
		yes(10*(i+1)+1, state, "not for this call")
	}
	yes(51, ask(50), `\"tidied\"`)

	// With sessions the call waits for the answer, and the policy changes meanwhile.
	p.leave()
	p = m.start(t, "older", "--stdio", "--config", file).begin()
	p.send(callTool(60, "tidy", `{}`, ""))
	question := p.next("elicitation/create").Get("id").Raw
	put(t, file, "policy: {ceiling: L4}\n")
	p.told("changed: ", "policy.tools")
	p.send(`{"jsonrpc":"2.0","id":` + question + `,"result":{"action":"accept"}}`)
	if got := p.next(`"id":60,`).Raw; !strings.Contains(got, "changed while the question was open") {
		t.Errorf("the answer counted: %s", got)
	}
	p.leave()
}

func TestTheTokenAndTheNamesChangeWhileServing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dir := t.TempDir()
	file, token := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "token")
	put(t, token, "first\n")
	put(t, file, "listen: 127.0.0.1:0\ntoken: {file: token}\nhosts: [one.example]\n")
	p := m.start(t, "server", "--config", file)
	url := regexp.MustCompile(`http://\S+`).FindString(p.told("tools at http"))
	status := func(token, host string) int {
		req, err := http.NewRequest("POST", url, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	wants := func(token, host string, want int) {
		t.Helper()
		got := status(token, host)
		if got != want && (want != 0 || got == http.StatusUnauthorized || got == http.StatusForbidden) {
			t.Errorf("%s for %s: %d, want %d", token, host, got, want)
		}
	}
	const letIn = 0 // and then told that {} is no message
	wants("first", "one.example", letIn)
	wants("second", "one.example", http.StatusUnauthorized)
	wants("first", "two.example", http.StatusForbidden)

	put(t, token, "second\n")
	p.told("changed: the token")
	wants("first", "one.example", http.StatusUnauthorized)
	wants("second", "one.example", letIn)

	put(t, file, "listen: 127.0.0.1:0\ntoken: {file: token}\nhosts: [two.example]\n")
	p.told("changed: hosts")
	wants("second", "one.example", http.StatusForbidden)
	wants("second", "two.example", letIn)

	// A token that others may read, or none at all, changes nothing.
	if err := os.Chmod(token, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	p.told("run chmod 600")
	if err := os.Remove(token); err != nil {
		t.Fatal(err)
	}
	p.told("token: ", "no such file")
	wants("second", "two.example", letIn)
}

// TestFoldersComeAndGo: a broken spec and a folder that is away leave the others
// alone, and a folder that is swapped for another is noticed.
func TestFoldersComeAndGo(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	dir := t.TempDir()
	place := func(version, text string) {
		if err := os.MkdirAll(filepath.Join(dir, version), 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, version, "extra.json")
		put(t, file, text)
		if out, err := m.command("test", "--write", file).CombinedOutput(); err != nil && !strings.Contains(text, "broken") {
			t.Fatalf("%s\n%v", out, err)
		}
	}
	place("v1", `{"name": "extra", "description": "The first.", "code": "return 1;", "codeType": "Javascript"}`)
	place("v2", `{"name": "extra", "description": "The second.", "code": "return 2;", "codeType": "Javascript"}`)
	link := filepath.Join(dir, "current")
	swap := func(version string) {
		if err := errors.Join(os.Symlink(version, link+".new"), os.Rename(link+".new", link)); err != nil {
			t.Fatal(err)
		}
	}
	swap("v1")
	put(t, filepath.Join(m.specs, "never.json"), "{")
	p := m.start(t, "server", "--stdio", "--folder", link)
	says := func(id int, want string) {
		t.Helper()
		for started := time.Now(); ; time.Sleep(20 * time.Millisecond) {
			p.send(callTool(id, "extra", `{}`, stateless))
			got := p.next(fmt.Sprintf(`"id":%d,`, id)).Raw
			if strings.Contains(got, want) {
				break
			}
			if time.Since(started) > patience {
				t.Fatalf("%s instead of %s", got, want)
			}
		}
		p.answers(id+1, `{\"sum\":2}`)
	}
	says(1, `"text":"1"`)
	swap("v2")
	says(3, `"text":"2"`)
	put(t, filepath.Join(dir, "v2", "extra.json"), `{"name": "extra`)
	p.told("extra.json", "what it held before stays")
	says(11, `"text":"2"`)
	put(t, filepath.Join(dir, "v2", "extra.json"), `{"name": "broken"}`)
	p.told("withheld", "extra.json")
	says(5, `"error"`)
	if err := os.RemoveAll(filepath.Join(dir, "v2")); err != nil {
		t.Fatal(err)
	}
	p.told("withheld", "current: ")
	says(7, `"error"`)
	place("v2", `{"name": "extra", "description": "The second.", "code": "return 2;", "codeType": "Javascript"}`)
	says(9, `"text":"2"`)
	put(t, filepath.Join(dir, "v2", "extra.json"), `{"name": "broken"}`)
	p.told("withheld", "extra.json") // again, as it was well in between
	p.leave()
	if times := strings.Count(p.stderr.String(), "never.json"); times != 1 {
		t.Errorf("what stays withheld was told %d times", times)
	}
}

// TestAPassIsSeenWhileServing: specs from elsewhere are no drafts, and have not
// passed here. What the server says to do about it works, for a file and a bundle.
func TestAPassIsSeenWhileServing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	spec := func(name string) string {
		return fmt.Sprintf(`{"name": %q, "description": "Late.", "code": "return 7;", "codeType": "Javascript", "draft": false}`, name)
	}
	put(t, filepath.Join(m.specs, "late.json"), spec("late"))
	put(t, filepath.Join(m.specs, "many.json"), `{"toolSpecs": [`+spec("one")+","+spec("two")+"]}")
	p := m.start(t, "server", "--stdio")
	wayOut := regexp.MustCompile(`^withheld (\w+): no draft, but this content has no Local Pass here; run glovebox (test) (\S+)\n$`)
	for _, names := range [][]string{{"late"}, {"one", "two"}} {
		var said []string
		for _, name := range names {
			if said = wayOut.FindStringSubmatch(p.told("withheld " + name)); said == nil {
				t.Fatalf("%s: no way out", name)
			}
		}
		if out, err := m.command(said[2:]...).CombinedOutput(); err != nil {
			t.Fatalf("%s\n%v", out, err)
		}
		for i, name := range names {
			p.told("serving " + name)
			p.send(callTool(10+i, name, `{}`, stateless))
			if got := p.next(fmt.Sprintf(`"id":%d,`, 10+i)).Raw; !strings.Contains(got, `"text":"7"`) {
				t.Errorf("%s: %s", name, got)
			}
		}
		p.read = 0
	}
}
