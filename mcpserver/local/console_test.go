package local

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// TestALinkNamesWhoTheKernelSays: whoever asks over the socket cannot say who they are, only
// which role they want.
func TestALinkNamesWhoTheKernelSays(t *testing.T) {
	state := t.TempDir()
	o, err := Claim(state)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	asked := ""
	config := Config{About: func() About { return About{} }, Lines: echo, Gateway: hang, Logger: slog.New(slog.DiscardHandler)}
	config.Console = func(by, role string) (string, error) {
		if role != "look" {
			return "", errors.New("no such role")
		}
		asked = by
		return "http://127.0.0.1:1/x/enter?link=y", nil
	}
	if err := o.Start(config); err != nil {
		t.Fatal(err)
	}
	p, err := Find(state)
	if err != nil {
		t.Fatal(err)
	}
	url, err := p.Console(t.Context(), "look")
	if err != nil || !strings.Contains(url, "enter?link=y") || !strings.HasPrefix(asked, "local:") {
		t.Errorf("the link is %q for %q, %v", url, asked, err)
	}
	var problem Problem
	if _, err := p.Console(t.Context(), "king"); !errors.As(err, &problem) || problem.Code != "no-console" {
		t.Errorf("another role is answered with %v", err)
	}
	for _, body := range []string{`{"role":"look","by":"local:eve"}`, `{`, `"look"`, strings.Repeat(" ", 1<<20) + `{"role":"look"}`} {
		err := p.ask(t.Context(), http.MethodPost, "/console", strings.NewReader(body), io.Discard)
		if !errors.As(err, &problem) || problem.Code != "bad-input" {
			t.Errorf("%.30s is answered with %v", body, err)
		}
	}
}
