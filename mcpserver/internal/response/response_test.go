package response_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/response"
	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// post serves one response over HTTP and returns the response.
func post(t *testing.T, pending *response.Pending, serve func(ctx context.Context, e *response.Response)) *http.Response {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve(r.Context(), response.New(w, r, wire.ParseID([]byte(`"7"`)), pending, "ada"))
	}))
	t.Cleanup(server.Close)
	answer, err := http.Post(server.URL, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnAnswerAloneIsOneMessage(t *testing.T) {
	got := post(t, &response.Pending{}, func(_ context.Context, e *response.Response) {
		if err := e.Result([]byte(`{"content":[]}`)); err != nil {
			t.Error(err)
		}
		if err := e.Result([]byte(`{}`)); !errors.Is(err, response.ErrEnded) {
			t.Errorf("a second answer: %v", err)
		}
		if err := e.Notify("notifications/progress", nil); !errors.Is(err, response.ErrEnded) {
			t.Errorf("a notification after the answer: %v", err)
		}
	})
	if kind := got.Header.Get("Content-Type"); kind != "application/json" {
		t.Errorf("Content-Type %s", kind)
	}
	if text, want := body(t, got), `{"jsonrpc":"2.0","id":"7","result":{"content":[]}}`; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

func TestAnErrorHasItsStatus(t *testing.T) {
	got := post(t, &response.Pending{}, func(_ context.Context, e *response.Response) {
		e.Error(http.StatusNotFound, -32601, "no \"such\"\nmethod", []byte(`{"a":1}`))
	})
	if got.StatusCode != http.StatusNotFound {
		t.Errorf("status %s", got.Status)
	}
	if text, want := body(t, got), `{"jsonrpc":"2.0","id":"7","error":{"code":-32601,"message":"no \"such\"\nmethod","data":{"a":1}}}`; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// TestWhatComesBeforeTheAnswerMakesAStream: each message is one event, whatever line
// breaks its JSON has between tokens.
func TestWhatComesBeforeTheAnswerMakesAStream(t *testing.T) {
	got := post(t, &response.Pending{}, func(_ context.Context, e *response.Response) {
		e.Notify("notifications/progress", []byte("{\r\n  \"progress\": 1\n}"))
		e.Result([]byte("{\n\"text\":\"a\\nb\"}"))
	})
	if kind := got.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("Content-Type %s", kind)
	}
	want := "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{  \"progress\": 1}}\n\n" +
		"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{\"text\":\"a\\nb\"}}\n\n"
	if text := body(t, got); text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

// TestOnlyWhoWasAskedAnswers: a client's answer ends the request, another owner's and a
// second one do not, and an id that is not ours is left to others.
func TestOnlyWhoWasAskedAnswers(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"a result", `"result":{"action":"accept"}`, `{"action":"accept"}`},
		{"an error", `"error":{"code":-32601,"message":"no"}`, "the client answered with error -32601: no"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var pending response.Pending
			got := post(t, &pending, func(ctx context.Context, e *response.Response) {
				result, err := e.Request(ctx, "elicitation/create", []byte(`{"message":"Really?"}`))
				if err != nil {
					result, _ = json.Marshal(err.Error())
				}
				e.Result(result)
			})
			lines := bufio.NewScanner(got.Body)
			asked := data(t, lines)
			var question struct{ ID, Method string }
			if err := json.Unmarshal([]byte(asked), &question); err != nil || question.Method != "elicitation/create" {
				t.Fatalf("asked %s: %v", asked, err)
			}
			answer := func(id string) *wire.Message {
				parsed, err := wire.Parse([]byte(`{"jsonrpc":"2.0","id":"` + id + `",` + c.answer + `}`))
				if err != nil {
					t.Fatal(err)
				}
				return &parsed.Messages[0]
			}
			if pending.Answer("ada", answer("7")) {
				t.Error("an id of somebody else was taken")
			}
			for _, who := range []string{"eve", "ada", "ada"} {
				if !pending.Answer(who, answer(question.ID)) {
					t.Errorf("the answer of %s was left to others", who)
				}
			}
			var last struct{ Result json.RawMessage }
			if err := json.Unmarshal([]byte(data(t, lines)), &last); err != nil {
				t.Fatal(err)
			}
			if got := strings.Trim(string(last.Result), `"`); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// data returns the data of the next event.
func data(t *testing.T, lines *bufio.Scanner) string {
	t.Helper()
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			return text
		}
	}
	t.Fatal("the stream ended")
	return ""
}

func TestARequestEndsWhenTheClientHangsUp(t *testing.T) {
	failed := make(chan error)
	var pending response.Pending
	got := post(t, &pending, func(ctx context.Context, e *response.Response) {
		_, err := e.Request(context.WithoutCancel(ctx), "roots/list", nil)
		failed <- err
	})
	data(t, bufio.NewScanner(got.Body))
	got.Body.Close()
	if err := <-failed; !errors.Is(err, response.ErrGone) {
		t.Error(err)
	}
}

// TestARequestIsTakenBack: the client is told not to ask its person any longer.
func TestARequestIsTakenBack(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var pending response.Pending
	got := post(t, &pending, func(_ context.Context, e *response.Response) {
		if _, err := e.Request(ctx, "roots/list", nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		e.Result(nil)
	})
	lines := bufio.NewScanner(got.Body)
	id := gjson.Get(data(t, lines), "id").Str
	cancel()
	if got := data(t, lines); gjson.Get(got, "method").Str != "notifications/cancelled" || gjson.Get(got, "params.requestId").Str != id {
		t.Errorf("%s, not that %s is taken back", got, id)
	}
}
