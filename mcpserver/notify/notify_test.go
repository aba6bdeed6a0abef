package notify_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/notify"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk"
)

// received is a webhook as it arrived.
type received struct {
	header http.Header
	body   []byte
}

// receiver is a service that refuses the first requests.
func receiver(t *testing.T, refused int) (url string, got chan received) {
	t.Helper()
	got = make(chan received, 16)
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		if refused > 0 {
			refused--
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		got <- received{r.Header, body}
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

// desk opens a desk and returns how a question is asked at it.
func desk(t *testing.T) (*approve.Desk, func(principal, tool string, level risk.Level) approve.Entry) {
	t.Helper()
	s, err := store.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	d, err := approve.OpenDesk(t.Context(), s, approve.Settings{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	return d, func(principal, tool string, level risk.Level) approve.Entry {
		n++
		e, _, err := d.Ask(t.Context(), approve.Question{
			Call:   approve.Call{Principal: principal, Tool: risk.ToolHash{1}, Arguments: risk.HashArguments(fmt.Append(nil, n)), Policy: "p"},
			Source: "library", Tool: tool, Level: level, Arguments: []byte(`{"key":"***"}`), Text: "Run <!channel> *this* tool?\n\x1b[2JArguments: ***", Valid: time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

// started starts a sender, which is over at the end of the test.
func started(t *testing.T, o notify.Options) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	if o.Claim == nil {
		o.Claim = func(context.Context, string) (bool, error) { return true, nil }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Pauses == nil {
		o.Pauses = []time.Duration{time.Millisecond, time.Millisecond, time.Millisecond}
	}
	s, err := notify.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); s.Wait() })
}

// TestASignedWebhook is retried until it arrives, and its signature is what the
// specification of Standard Webhooks says, computed here.
func TestASignedWebhook(t *testing.T) {
	d, ask := desk(t)
	url, got := receiver(t, 2)
	key := []byte("0123456789abcdef0123456789abcdef")
	started(t, notify.Options{
		Desk: d, Routes: []notify.Route{{Name: "ops", URL: "${HOOK}", Secret: "whsec_${KEY}", Link: true}},
		Link:    func(e approve.Entry, to string) string { return "https://box.example/answer/" + e.ID + "." + to },
		Console: "https://console.example/sign-in?to=inbox",
		Lookup: func(name string) (string, bool) {
			v, ok := map[string]string{"HOOK": url, "KEY": base64.StdEncoding.EncodeToString(key)}[name]
			return v, ok
		},
	})
	e := ask("named:ci", "tidy", risk.L4)
	r := <-got
	id, at := r.header.Get("Webhook-Id"), r.header.Get("Webhook-Timestamp")
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(r.body)
	if want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)); r.header.Get("Webhook-Signature") != want || id != e.ID+".ops" {
		t.Errorf("%s, want %s", r.header, want)
	}
	var n notify.Notice
	if err := json.Unmarshal(r.body, &n); err != nil || n.Type != "approval.asked" || n.Data.ID != e.ID || string(n.Data.Arguments) != `{"key":"***"}` || n.Data.Link != "https://box.example/answer/"+e.ID+".ops" || n.Data.Console != "https://console.example/sign-in?to=inbox" {
		t.Errorf("%s, %v", r.body, err)
	}
}

// TestWhoIsTold: by tool, principal and level, and each once.
func TestWhoIsTold(t *testing.T) {
	d, ask := desk(t)
	url, got := receiver(t, 0)
	taken := map[string]int{}
	started(t, notify.Options{
		Desk: d, Routes: []notify.Route{{Name: "high", URL: url, Level: risk.L4}, {Name: "ci", URL: url, Principals: []string{"named:ci*"}, Tools: []string{"ti*", "x"}}},
		Claim: func(_ context.Context, key string) (bool, error) {
			taken[key]++
			return !strings.HasSuffix(key, ".high") || taken[key] == 1, nil
		},
	})
	for _, row := range []struct {
		principal, tool string
		level           risk.Level
		want            int
	}{{"named:ada", "tidy", risk.L3, 0}, {"named:ci", "wipe", risk.L3, 0}, {"named:ci-2", "tidy", risk.L3, 1}, {"named:ada", "wipe", risk.L5, 1}, {"named:ci", "x", risk.L4, 2}} {
		e := ask(row.principal, row.tool, row.level)
		for range row.want {
			var n notify.Notice
			if err := json.Unmarshal((<-got).body, &n); err != nil || n.Data.ID != e.ID {
				t.Errorf("%s of %s: told about %s", row.tool, row.principal, n.Data.ID)
			}
		}
	}
	if len(got) > 0 {
		t.Errorf("%d notices more", len(got))
	}
}

// TestFormats: what services show is text, whatever others wrote into it.
func TestFormats(t *testing.T) {
	d, ask := desk(t)
	for format, want := range map[string][]string{
		"slack": {`"type":"plain_text"`, `L4 tidy for named:ci waits for approval`, `glovebox approvals show `},
		"teams": {`"contentType":"application/vnd.microsoft.card.adaptive"`, `"type":"TextRun"`, `"Action.OpenUrl"`},
		"ntfy":  {"https://c.example or with: glovebox approvals show ", "L4 tidy for named:ci waits for approval\n\nRun <!channel> *this* tool?\n<U+001B>[2JArguments: ***\n\nAnswer once at https://x or in the console at "},
	} {
		t.Run(format, func(t *testing.T) {
			url, got := receiver(t, 0)
			started(t, notify.Options{Desk: d, Routes: []notify.Route{{Name: "a", URL: url, Format: format, Link: true}}, Link: func(approve.Entry, string) string { return "https://x" }, Console: "https://c.example"})
			e := ask("named:ci", "tidy", risk.L4)
			r := <-got
			for !strings.Contains(string(r.body), e.ID) { // those of the other formats are open too
				r = <-got
			}
			for _, w := range want {
				if !strings.Contains(string(r.body), w) {
					t.Errorf("no %s in %s", w, r.body)
				}
			}
			if format != "ntfy" && (strings.Contains(string(r.body), "<!channel>") || !json.Valid(r.body)) {
				t.Errorf("%s", r.body)
			}
		})
	}
}

func TestACommand(t *testing.T) {
	d, ask := desk(t)
	file := filepath.Join(t.TempDir(), "notice")
	started(t, notify.Options{Desk: d, Routes: []notify.Route{{Name: "a", Command: []string{"sh", "-c", `cat > "$1.part" && mv "$1.part" "$1"`, "sh", file}}}})
	e := ask("named:ci", "$(touch /tmp/pwned)", risk.L4)
	for t.Context().Err() == nil {
		text, err := os.ReadFile(file)
		if err != nil {
			time.Sleep(time.Millisecond) // another process writes it
			continue
		}
		var n notify.Notice
		if err := json.Unmarshal(text, &n); err != nil || n.Data.ID != e.ID || n.Data.Tool != e.Tool {
			t.Errorf("%s, %v", text, err)
		}
		return
	}
}

// TestTheDesktop: a program of the name that is looked for gets title and way out, each as
// one argument; markup and what looks like a flag stay text.
func TestTheDesktop(t *testing.T) {
	name, args := map[string]string{"linux": "notify-send", "darwin": "osascript"}[runtime.GOOS], map[string]int{"linux": 3, "darwin": 6}[runtime.GOOS]
	if name == "" { // another system refuses the route
		return
	}
	bin := t.TempDir()
	file := filepath.Join(bin, "said")
	script := "#!/bin/sh\nshift " + fmt.Sprint(args) + "\nprintf '%s\\0' \"$@\" > " + file + ".part && mv " + file + ".part " + file + "\n"
	if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	d, ask := desk(t)
	started(t, notify.Options{Desk: d, Routes: []notify.Route{{Name: "a", Desktop: true}}, Console: "https://c.example/?a=1&b=2"})
	e := ask("named:ci", "--urgency=low <b>tidy</b>", risk.L4)
	for t.Context().Err() == nil {
		text, err := os.ReadFile(file)
		if err != nil {
			time.Sleep(time.Millisecond) // another process writes it
			continue
		}
		amp := map[string]string{"linux": "&amp;", "darwin": "&"}[runtime.GOOS] // the body is markup on Linux
		want := "L4 --urgency=low <b>tidy</b> for named:ci waits for approval\x00Answer in the console at https://c.example/?a=1" + amp + "b=2 or with: glovebox approvals show " + e.ID + "\x00"
		if string(text) != want {
			t.Errorf("%q, want %q", text, want)
		}
		return
	}
}

// TestWhatIsNotSent: to http elsewhere, with a variable that is not there; the log says so
// without the address.
func TestWhatIsNotSent(t *testing.T) {
	d, ask := desk(t)
	lines := make(lineWriter, 16)
	started(t, notify.Options{Desk: d, Logger: slog.New(slog.NewTextHandler(lines, nil)), Routes: []notify.Route{{Name: "plain", URL: "http://box.example/secret"}, {Name: "unset", URL: "https://box.example/${NONE}"}, {Name: "gone", URL: "http://127.0.0.1:1/secret"}}})
	ask("named:ci", "tidy", risk.L4)
	all := <-lines + <-lines + <-lines
	for _, want := range []string{`route=plain approval=`, `"the url is not https"`, `the variable \"NONE\" is not set`, `route=gone`, `connection refused`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in %s", want, all)
		}
	}
	if strings.Contains(all, "secret") {
		t.Error(all)
	}
}

type lineWriter chan string

func (w lineWriter) Write(p []byte) (int, error) { w <- string(p); return len(p), nil }

func TestRoutesThatAreRefused(t *testing.T) {
	for _, r := range []notify.Route{{}, {URL: "https://a", Desktop: true}, {Command: []string{"a"}, Secret: "b"}} {
		if r.Check() == nil {
			t.Errorf("%+v", r)
		}
	}
}
