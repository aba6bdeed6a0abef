package egress

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/tidwall/gjson"
)

func TestMessageCleansEveryPart(t *testing.T) {
	token := "ghp_" + fillerBase62(3, 36)
	blob := base64.StdEncoding.EncodeToString([]byte("config:\n  token: " + token + "\n"))
	for name, raw := range map[string]string{
		"text":               `{"content":[{"type":"text","text":"` + token + `"}]}`,
		"structured content": `{"content":[],"structuredContent":{"deep":[{"x":"` + token + `"}]}}`,
		"member name":        `{"content":[],"structuredContent":{"` + token + `":1}}`,
		"embedded resource":  `{"content":[{"type":"resource","resource":{"uri":"file:///x","text":"` + token + `"}}]}`,
		"resource link":      `{"content":[{"type":"resource_link","uri":"https://x:` + token + `@h/y","name":"y"}]}`,
		"blob":               `{"contents":[{"uri":"file:///x","mimeType":"text/yaml","blob":"` + blob + `"}]}`,
		"embedded blob":      `{"content":[{"type":"resource","resource":{"uri":"x:y","blob":"` + blob + `"}}]}`,
		"_meta":              `{"content":[],"_meta":{"trace":"` + token + `"}}`,
		"error message":      `{"code":-32603,"message":"bad credentials ` + token + `"}`,
		"error data":         `{"code":-32603,"message":"x","data":{"headers":{"authorization":"token ` + token + `"}}}`,
		"prompt":             `{"messages":[{"role":"user","content":{"type":"text","text":"use ` + token + `"}}]}`,
		"notification":       `{"level":"info","logger":"x","data":"connected with ` + token + `"}`,
		"progress":           `{"progressToken":1,"progress":1,"message":"sent ` + token + `"}`,
		"JSON in text":       `{"content":[{"type":"text","text":"{\"token\":\"` + token + `\"}"}]}`,
	} {
		s := New(builtin(t), DefaultPolicy())
		out, outcome := s.Message(session(), Place{}, []byte(raw))
		if !json.Valid(out) {
			t.Errorf("%s: %s is not JSON", name, out)
		}
		if strings.Contains(string(out), token) || strings.Contains(string(out), blob) {
			t.Errorf("%s: the token is in %s", name, out)
		}
		if n := gjson.GetBytes(out, "_meta."+gjson.Escape(CountsKey)+".*").Int(); n != 1 {
			t.Errorf("%s: %d counted in %s", name, n, out)
		}
		if len(outcome.Findings) == 0 || outcome.Findings[0].Pointer == "" {
			t.Errorf("%s: findings %+v", name, outcome.Findings)
		}
		record, _ := json.Marshal(outcome)
		if strings.Contains(string(record), token) {
			t.Errorf("%s: the record holds the token", name)
		}
	}
}

func TestMessageKeepsTheRest(t *testing.T) {
	raw := `{ "content":[{"type":"text","text":"fine"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}],"isError" : false, "n": 1.0 }`
	out, outcome := New(builtin(t), DefaultPolicy()).Message(session(), Place{}, []byte(raw))
	if string(out) != raw || len(outcome.Findings) > 0 {
		t.Errorf("became %s, %+v", out, outcome)
	}
}

func TestPathsAreRedactedInErrorsOnly(t *testing.T) {
	s := New(builtin(t), DefaultPolicy())
	for _, tc := range []struct {
		isError string
		want    bool
	}{{"false", false}, {"true", true}} {
		raw := `{"content":[{"type":"text","text":"ENOENT: open '/var/secrets/db-password'\n    at Foo.bar (/srv/app/a.js:1:2)\n    at C:\\Users\\bob\\x.js:1:2"}],"isError":` + tc.isError + `}`
		out, outcome := s.Message(session(), Place{}, []byte(raw))
		redacted := !strings.Contains(string(out), "/var/secrets") && !strings.Contains(string(out), "/srv/app") && !strings.Contains(string(out), "bob")
		if redacted != tc.want {
			t.Errorf("isError %s: %s", tc.isError, out)
		}
		if len(outcome.Findings) < 3 {
			t.Errorf("isError %s: %+v", tc.isError, outcome.Findings)
		}
	}
}

func TestPolicies(t *testing.T) {
	token, mail := "ghp_"+fillerBase62(4, 36), "bob@example.org"
	text := token + " " + mail
	for name, tc := range map[string]struct {
		policy  Policy
		tool    string
		want    string
		blocked bool
	}{
		"default":            {policy: DefaultPolicy(), want: "[REDACTED:github-token#1] " + mail},
		"zero redacts":       {want: "[REDACTED:github-token#1] [REDACTED:email#1]"},
		"class blocks":       {policy: Policy{Classes: map[rules.Class]Action{rules.Credential: Block}}, blocked: true},
		"rule before class":  {policy: Policy{Classes: map[rules.Class]Action{rules.Personal: Redact}, Rules: map[string]Action{"email": Ignore}}, want: "[REDACTED:github-token#1] " + mail},
		"tool before all":    {policy: Policy{Rules: map[string]Action{"email": Ignore}, Tools: map[string]Policy{"crm": {Rules: map[string]Action{"email": Redact, "github-token": Report}}}}, tool: "crm", want: token + " [REDACTED:email#1]"},
		"another tool":       {policy: Policy{Classes: map[rules.Class]Action{rules.Personal: Ignore}, Tools: map[string]Policy{"crm": {Classes: map[rules.Class]Action{rules.Personal: Redact}}}}, tool: "x", want: "[REDACTED:github-token#1] " + mail},
		"size over the cap":  {policy: Policy{MaxBytes: 10}, blocked: true},
		"size below the cap": {policy: Policy{MaxBytes: 1000}, want: "[REDACTED:github-token#1] [REDACTED:email#1]"},
	} {
		got, outcome := New(builtin(t), tc.policy).Text(session(), Place{Tool: tc.tool}, text)
		if got != tc.want || (outcome.Blocked != "") != tc.blocked {
			t.Errorf("%s: got %q, %+v", name, got, outcome)
		}
		if strings.Contains(outcome.Blocked, token) {
			t.Errorf("%s: the reason holds the token", name)
		}
	}
}

func TestKnownSecretsAreMaskedFirst(t *testing.T) {
	session := NewSession([]byte("k"), NewMasker([]string{"ordinary-words"}))
	out, _ := New(builtin(t), DefaultPolicy()).Message(session, Place{}, []byte(`{"a":"b3JkaW5hcnktd29yZHM=","b":["ordinary-words"]}`))
	if string(out) != `{"a":"***=","b":["***"]}` {
		t.Errorf("got %s", out)
	}
}

func TestPublicFailureTellsToolAndReferenceOnly(t *testing.T) {
	ref := Reference("0192e6a4-id")
	if len(ref) != 8 || ref == Reference("another") || ref != Reference("0192e6a4-id") {
		t.Errorf("reference %q", ref)
	}
	if text := PublicFailure("lookup", ref); !strings.Contains(text, `"lookup"`) || !strings.Contains(text, ref) {
		t.Error(text)
	}
}
