package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSomebodyIsToldAndAnswersFromElsewhere: a webhook with a link that answers once, an
// approver's token that answers over the network, two people for what destroys, and nobody
// who does both, calling and answering.
func TestSomebodyIsToldAndAnswersFromElsewhere(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	told := make(chan struct {
		Data struct{ ID, Link, Tool string }
	}, 8)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n struct {
			Data struct{ ID, Link, Tool string }
		}
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			t.Error(err)
		}
		told <- n
	}))
	defer hook.Close()
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("notify: {ops: {url: \""+hook.URL+"\", link: true, tools: [tidy]}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := m.serve(t, "--config", file)
	out, err := m.command("token", "create", "grace", "--approver").Output()
	if err != nil {
		t.Fatal(err)
	}
	grace := strings.TrimSpace(string(out))
	asked := func() <-chan string {
		ended := make(chan string, 1)
		go func() {
			r := s.post("t", "tidy", "{}")
			text, _ := io.ReadAll(r.Body)
			ended <- string(text)
		}()
		return ended
	}
	page := func(method, link string, form url.Values) (int, string) {
		r, err := http.NewRequest(method, link, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(text)
	}

	// The link: a look changes nothing, an answer counts once, a changed link is none.
	call := asked()
	n := <-told
	if !strings.HasPrefix(n.Data.Link, s.url+"/answer/"+n.Data.ID+".ops.") {
		t.Fatalf("the link is %s", n.Data.Link)
	}
	for range 2 {
		if status, text := page("GET", n.Data.Link, nil); status != 200 || !strings.Contains(text, "Approve this call") || !strings.Contains(text, "is open") {
			t.Errorf("%d %s", status, text)
		}
	}
	if status, _ := page("POST", n.Data.Link+"x", url.Values{"answer": {"yes"}}); status != 404 {
		t.Errorf("a changed link: %d", status)
	}
	if status, text := page("POST", n.Data.Link, url.Values{"answer": {"yes"}}); status != 200 || !strings.Contains(text, "Your answer counts") {
		t.Errorf("%d %s", status, text)
	}
	if got := <-call; !strings.Contains(got, `"isError":false`) && strings.Contains(got, "isError") {
		t.Errorf("the call: %s", got)
	}
	if status, text := page("POST", n.Data.Link, url.Values{"answer": {"no"}}); status != 409 || !strings.Contains(text, "does not count") {
		t.Errorf("a second answer: %d %s", status, text)
	}

	// The token: it lists, answers, and calls nothing; that of a caller answers nothing.
	call = asked()
	n = <-told
	remote := func(token string, args ...string) (string, error) {
		cmd := m.command(append([]string{"approvals", "--server", s.url}, args...)...)
		cmd.Env = append(cmd.Env, "GLOVEBOX_APPROVER_TOKEN="+token, "XDG_STATE_HOME="+t.TempDir())
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	if text, err := remote(grace, "list"); err != nil || !strings.Contains(text, n.Data.ID) {
		t.Errorf("%s, %v", text, err)
	}
	if text, err := remote("t", "deny", n.Data.ID); err == nil || !strings.Contains(text, "--approver") {
		t.Errorf("the caller's token: %s, %v", text, err)
	}
	if r := s.post(grace, "add", `{"a":1}`); r.StatusCode != 403 {
		t.Errorf("the approver calls: %s", r.Status)
	}
	if text, err := remote(grace, "deny", n.Data.ID, "--note", "not today"); err != nil {
		t.Errorf("%s, %v", text, err)
	}
	if got := <-call; !strings.Contains(got, "a person declined") {
		t.Errorf("the call: %s", got)
	}
	if text, err := remote(grace, "show", n.Data.ID); err != nil || !strings.Contains(text, "denied named:grace not today") {
		t.Errorf("%s, %v", text, err)
	}
}
