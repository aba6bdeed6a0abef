package egress

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/samples"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// The nine patterns that many servers copy find what their labels say here too.
func TestLabelsMapToRules(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	s := New(builtin(t), Policy{})
	for label, text := range map[string]string{
		"AWS_KEY_ID":       "id ASIA{[A-Z2-7]{16}}",
		"AWS_SECRET":       "SecretAccessKey: {[A-Za-z0-9+/]{39}7}",
		"GITHUB_TOKEN":     "ghp_{[A-Za-z0-9]{36}}",
		"GITHUB_APP_TOKEN": "ghs_{[A-Za-z0-9]{36}}",
		"GITHUB_PAT":       "github_pat_{[A-Za-z0-9]{22}}_{[A-Za-z0-9]{59}}",
		"SLACK_TOKEN":      "xoxb-{[0-9]{12}}-{[0-9]{12}}-{[A-Za-z0-9]{24}}",
		"API_TOKEN":        `{"access_token":"{[A-Za-z0-9._~-]{29}7}"}`,
		"API_KEY":          `apiKey: "{[A-Za-z0-9]{39}7}"`,
		"PATH":             "open '/var/secrets/db-password'",
		"WIN_PATH":         `at C:\Users\bob\app.js now`,
		"STACK_FRAME":      "    at Object.run (/srv/app/a.js:10:5)",
	} {
		_, outcome := s.Text(session(), Place{}, samples.Fill(random, text))
		if len(outcome.Findings) != 1 || !slices.Contains(rules.ByLabel(label), outcome.Findings[0].Rule) {
			t.Errorf("%s: found %+v, want one of %v", label, outcome.Findings, rules.ByLabel(label))
		}
	}
}

// What those patterns get wrong, each with the text that shows it.
func TestDefectsOfThePatternsAreNotRepeated(t *testing.T) {
	random := rand.New(rand.NewPCG(10, 10))
	errors := Policy{}
	for _, tc := range []struct {
		defect, text string
		gone         []string // must not be in the output
		kept         []string // must be
	}{
		{defect: "a path inside a frame is eaten first, and with it the frame's end", text: "    at new Foo (/srv/app/a.js:1:2)\nnext", gone: []string{"/srv"}, kept: []string{"[REDACTED:stack-frame#1]\nnext"}},
		{defect: "a placeholder without a kind looks like text", text: "open '/home/bob/x'", kept: []string{"'[REDACTED:path#1]'"}},
		{defect: "the path of a URL is taken for one of the machine", text: "https://acme.test/var/log/report and /api/app/users/42", kept: []string{"https://acme.test/var/log/report", "/api/app/users/42"}},
		{defect: "paths in /Users, /tmp, /etc and file URLs pass", text: "/Users/bob/a /tmp/x/b /etc/shadow file:///mnt/c/d", gone: []string{"/Users", "/tmp", "/etc", "/mnt"}},
		{defect: "a Windows path takes the rest of the line", text: `C:\app\a.txt was read`, kept: []string{" was read"}},
		{defect: "an escaped line end is taken for a Windows path", text: `EXIT CODE:\nDone and the rest`, kept: []string{`EXIT CODE:\nDone and the rest`}},
		{defect: "a lower-case drive passes", text: `c:\users\bob\a.txt`, gone: []string{"bob"}},
		{defect: "the commonest spelling of the AWS secret passes", text: "AWS_SECRET_ACCESS_KEY={[A-Za-z0-9+/]{39}7} aws-secret-access-key: {[A-Za-z0-9+/]{39}7}", gone: []string{"7 ", ": {"}, kept: []string{"KEY=[REDACTED:aws-secret-key#1]", "[REDACTED:aws-secret-key#2]"}},
		{defect: "a longer value is cut at 40 and its tail stays", text: `api_key="{[A-Za-z0-9]{63}7}"`, kept: []string{`api_key="[REDACTED:named-secret#1]"`}},
		{defect: "the padding of a token stays", text: `{"access_token":"{[A-Za-z0-9]{40}7}=="}`, kept: []string{`"[REDACTED:named-secret#1]"`}},
		{defect: "ids of roles and users are taken for keys", text: "AROA{[A-Z2-7]{16}} AIDA{[A-Z2-7]{16}}", gone: []string{"REDACTED"}},
		{defect: "gho_, ghu_ and ghr_ pass", text: "gho_{[A-Za-z0-9]{36}} ghu_{[A-Za-z0-9]{36}} ghr_{[A-Za-z0-9]{36}}", gone: []string{"gho_", "ghu_", "ghr_"}},
		{defect: "a trailing hyphen of a Slack token stays", text: "xoxb-{[0-9]{12}}-{[0-9]{12}}-{[A-Za-z0-9]{24}}-.", kept: []string{"[REDACTED:slack-bot-token#1]."}},
		{defect: "a blank before the colon hides a member", text: `{"access_token" : "{[A-Za-z0-9]{30}7}"}`, gone: []string{"7\""}},
		{defect: "JSON inside a string passes", text: `{"text":"{\"refresh_token\":\"{[A-Za-z0-9]{30}7}\"}"}`, kept: []string{`\"[REDACTED:named-secret#1]\"`}},
		{defect: "single quotes and YAML pass", text: "client_secret: '{[A-Za-z0-9]{30}7}'", gone: []string{"7'"}},
		{defect: "keys with hyphens and underscores end early", text: `apiKey: "{[A-Za-z0-9]{12}}-{[A-Za-z0-9]{12}}_{[A-Za-z0-9]{12}7}"`, kept: []string{`apiKey: "[REDACTED:named-secret#1]"`}},
	} {
		text := samples.Fill(random, tc.text)
		out, _ := New(builtin(t), errors).Text(session(), Place{Error: true}, text)
		for _, part := range tc.gone {
			if strings.Contains(out, part) {
				t.Errorf("%s: %q is in %q", tc.defect, part, out)
			}
		}
		for _, part := range tc.kept {
			if !strings.Contains(out, part) {
				t.Errorf("%s: %q is not in %q, from %q", tc.defect, part, out, text)
			}
		}
	}
}
