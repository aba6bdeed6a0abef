package upstream_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// Every setting that would do nothing, or harm, is refused with its name.
func TestConfigCheck(t *testing.T) {
	stdio := func(change func(*upstream.Config)) upstream.Config {
		c := upstream.Config{Name: "a", Kind: upstream.Stdio, Command: []string{"server"}}
		change(&c)
		return c
	}
	web := func(change func(*upstream.Config)) upstream.Config {
		c := upstream.Config{Name: "a", Kind: upstream.HTTP, URL: "https://example.com/mcp"}
		change(&c)
		return c
	}
	for want, c := range map[string]upstream.Config{
		"":                      stdio(func(*upstream.Config) {}),
		"kind: \"\"":            {Name: "a"},
		"name: \"\"":            stdio(func(c *upstream.Config) { c.Name = "" }),
		"name: \"../a\"":        stdio(func(c *upstream.Config) { c.Name = "../a" }),
		"name: \"A\"":           stdio(func(c *upstream.Config) { c.Name = "A" }),
		"command: no program":   stdio(func(c *upstream.Config) { c.Command = nil }),
		"url: a server of kind": stdio(func(c *upstream.Config) { c.AllowPrivate = true }),
		"sandbox: \"jail\"":     stdio(func(c *upstream.Config) { c.Sandbox = "jail" }),
		"env: \"A=B\"":          stdio(func(c *upstream.Config) { c.Env = map[string]string{"A=B": ""} }),
		"no process of ours":    web(func(c *upstream.Config) { c.Sandbox = "none" }),
		"url: \"ftp://x\"":      web(func(c *upstream.Config) { c.URL = "ftp://x" }),
		"use headers with":      web(func(c *upstream.Config) { c.URL = "https://a:b@example.com" }),
		"url: it is no URL":     web(func(c *upstream.Config) { c.URL = "https://a:b@[" }),
		"headers: Mcp-Method is set by the protocol": web(func(c *upstream.Config) { c.Headers = map[string]string{"mcp-method": "x"} }),
		"headers: Host":               web(func(c *upstream.Config) { c.Headers = map[string]string{"host": "x"} }),
		"headers: \"A B\" cannot":     web(func(c *upstream.Config) { c.Headers = map[string]string{"A B": "x"} }),
		"headers: \"A\" cannot":       web(func(c *upstream.Config) { c.Headers = map[string]string{"A": "x\r\nB: y"} }),
		"era: \"new\"":                web(func(c *upstream.Config) { c.Era = "new" }),
		"timeout: -1s":                web(func(c *upstream.Config) { c.Timeout = upstream.Duration(-time.Second) }),
		"timeout: 48h0m0s":            web(func(c *upstream.Config) { c.Timeout = upstream.Duration(48 * time.Hour) }),
		"concurrency: 1000 is not be": web(func(c *upstream.Config) { c.Concurrency = 1000 }),
	} {
		err := c.Check()
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "a:b")) {
			t.Errorf("%q: %v", want, err)
		}
		if _, made := upstream.New(c, upstream.Options{}); (made == nil) != (err == nil) {
			t.Errorf("%q: New says %v", want, made)
		}
	}
}

// What is stored comes back as it was.
func TestConfigAsJSON(t *testing.T) {
	want := upstream.Config{Name: "a", Kind: upstream.Stdio, Command: []string{"x", "y"}, Env: map[string]string{"A": "${B}"}, Sandbox: "files", Require: true,
		Files: upstream.Files{Read: []string{"/data"}}, Limits: upstream.Limits{Memory: 1 << 30, CPU: upstream.Duration(time.Minute)}, Timeout: upstream.Duration(90 * time.Second), Offer: upstream.Offer{Roots: true}}
	text, err := json.Marshal(want)
	if err != nil || !strings.Contains(string(text), `"timeout":"1m30s"`) {
		t.Fatalf("%s, %v", text, err)
	}
	var got upstream.Config
	if err := json.Unmarshal(text, &got); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%v: %s", err, cmp.Diff(want, got))
	}
}
