package oauth

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

var update = flag.Bool("update", false, "write the golden files")

func TestCheck(t *testing.T) {
	good := Config{Issuer: "https://as.example/realm", Resource: "https://tools.example/mcp"}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		change func(*Config)
		want   string // empty: valid
	}{
		{func(c *Config) { c.Issuer = "" }, "issuer"},
		{func(c *Config) { c.Issuer = "http://as.example" }, "want https"},
		{func(c *Config) { c.Issuer = "http://127.0.0.1.evil.example" }, "want https"},
		{func(c *Config) { c.Issuer = "ftp://as.example" }, "want https"},
		{func(c *Config) { c.Issuer = "https://u:p@as.example" }, "a host and a path"},
		{func(c *Config) { c.Issuer = "http://127.0.0.1:8080/realm" }, ""},
		{func(c *Config) { c.Issuer = "http://[::1]:8080" }, ""},
		{func(c *Config) { c.Issuer = "http://localhost" }, ""},
		{func(c *Config) { c.Resource = "" }, "resource"},
		{func(c *Config) { c.Resource = "tools" }, "the URL under which"},
		{func(c *Config) { c.Resource = "https://tools.example/mcp?x" }, "a plain path alone"},
		{func(c *Config) { c.Resource = "https://tools.example/{x}" }, "a plain path alone"},
		{func(c *Config) { c.Resource = "https://tools.example/a\"b" }, "a plain path alone"},
		{func(c *Config) { c.Resource = "http://127.0.0.1:8282/mcp" }, ""},
		{func(c *Config) { c.Algorithms = []string{"none"} }, `algorithm "none"`},
		{func(c *Config) { c.Algorithms = []string{"HS256"} }, `algorithm "HS256"`},
		{func(c *Config) { c.Skew = time.Hour }, "skew"},
		{func(c *Config) { c.Cache = time.Hour }, "cache"},
		{func(c *Config) { c.Introspect = true }, "client id"},
		{func(c *Config) { c.SecretFile = "x" }, "introspection, which is off"},
		{func(c *Config) { c.Scopes = []Rule{{Tool: "x"}} }, "wants no scope"},
		{func(c *Config) { c.Scopes = []Rule{{Scopes: []string{"a b"}}} }, "is no scope"},
		{func(c *Config) { c.Scopes = []Rule{{Scopes: []string{`a"`}}} }, "is no scope"},
	} {
		c := good
		row.change(&c)
		if err := c.Check(); row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%+v: %v, want %q", c, err, row.want)
		}
	}
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	good.Introspect, good.ClientID, good.SecretFile = true, "us", path
	if _, err := Open(good); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a secret that others may read: %v", err)
	}
	if _, err := Open(Config{}); err == nil {
		t.Error("a guard of nobody")
	}
}

func TestRules(t *testing.T) {
	grant := Grant{Scopes: []string{"base", "mail"}, rules: []Rule{
		{Scopes: []string{"base"}},
		{Tool: "mail_*", Scopes: []string{"mail", "base"}},
		{Tool: "*_delete", Scopes: []string{"admin"}},
		{Tool: "a*b*c", Scopes: []string{"abc"}},
		{Level: risk.L4, Scopes: []string{"danger"}},
		{Tool: "exact", Level: risk.L2, Scopes: []string{"both"}},
	}}
	for _, row := range []struct {
		tool  string
		level risk.Level
		want  []string
	}{
		{"clock", risk.L0, nil},
		{"mail_send", risk.L3, nil},
		{"mail_delete", risk.L3, []string{"admin"}},
		{"mail_delete", risk.L5, []string{"admin", "danger"}},
		{"clock", risk.L4, []string{"danger"}},
		{"clock", risk.Unrated, []string{"danger"}}, // may be anything
		{"abc", risk.L0, []string{"abc"}},
		{"aXbYc", risk.L0, []string{"abc"}},
		{"ab/bc", risk.L0, []string{"abc"}},
		{"ac", risk.L0, nil},
		{"abcd", risk.L0, nil},
		{"exact", risk.L1, nil},
		{"exact", risk.L2, []string{"both"}},
		{"exactly", risk.L2, nil},
		{"_delete", risk.L0, []string{"admin"}},
	} {
		if got := grant.Lacks(row.tool, row.level); !slices.Equal(got, row.want) {
			t.Errorf("%s %v lacks %v, want %v", row.tool, row.level, got, row.want)
		}
	}
	if none := (Grant{}).Lacks("anything", risk.L5); none != nil {
		t.Errorf("without rules: %v", none)
	}
}

func TestParseRule(t *testing.T) {
	for text, want := range map[string]Rule{
		"mail_*=mail:send":      {Tool: "mail_*", Scopes: []string{"mail:send"}},
		" mail = a  b ":         {Tool: "mail", Scopes: []string{"a", "b"}},
		"*=tools":               {Tool: "*", Scopes: []string{"tools"}},
		"L4=danger":             {Level: risk.L4, Scopes: []string{"danger"}},
		"x=https://a.example/b": {Tool: "x", Scopes: []string{"https://a.example/b"}},
		"x=a=b":                 {Tool: "x", Scopes: []string{"a=b"}},
	} {
		if got, err := ParseRule(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "=a", "x", "x=", "x= ", `x="a"`} {
		if got, err := ParseRule(text); err == nil {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestPrincipals: whatever the names, no two principals are confused.
func TestPrincipals(t *testing.T) {
	if got := (Grant{Issuer: "https://as.example", Subject: "alice", Client: "editor"}).Principal(); got != `oauth:"https://as.example" "alice" "editor"` {
		t.Error(got)
	}
	seen := map[string]Grant{}
	names := []string{"", "a", "b", `a" "b`, `"`, "\\", " ", "a\nb", `\"`, "\x00", "é"}
	for _, issuer := range names {
		for _, subject := range names {
			for _, client := range names {
				g := Grant{Issuer: issuer, Subject: subject, Client: client}
				p := g.Principal()
				if other, ok := seen[p]; ok || strings.ContainsAny(p, "\n\x00") {
					t.Errorf("%+v and %+v are %s", g, other, p)
				}
				seen[p] = g
			}
		}
	}
}

// TestChallenges: the exact text a client reads.
func TestChallenges(t *testing.T) {
	var b strings.Builder
	for _, rules := range [][]Rule{nil, {{Scopes: []string{"tools"}}, {Tool: "mail_*", Scopes: []string{"mail:send"}}, {Level: risk.L4, Scopes: []string{"danger"}}}} {
		g, err := Open(Config{Issuer: "https://as.example/realm", Resource: "https://tools.example:8443/mcp", Scopes: rules})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "# %d rules\n", len(rules))
		fmt.Fprintf(&b, "no token:      %s\n", g.Challenge(nil))
		fmt.Fprintf(&b, "expired:       %s\n", g.Challenge(invalid("it has expired")))
		fmt.Fprintf(&b, "unavailable:   %s\n", g.Challenge(errors.New("x")))
		grant := Grant{Scopes: []string{"tools", "openid"}, rules: rules}
		if lacks := grant.Lacks("mail_send", risk.L4); len(lacks) > 0 {
			fmt.Fprintf(&b, "lacks %v: %s\n", lacks, g.Insufficient(grant, lacks))
		}
		fmt.Fprintf(&b, "metadata at %v of %s:\n", g.MetadataPaths(), g.Host())
		recorder := httptest.NewRecorder()
		g.Metadata().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/", nil))
		b.WriteString(recorder.Body.String() + "\n")
	}
	path := filepath.Join("testdata", "challenges.golden")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
