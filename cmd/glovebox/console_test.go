package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// written are specs of authors with all kinds of mistakes.
var written = []string{
	`{"name": "fine", "description": "Greets.", "category": "TEXT", "codeType": "Javascript", "code": "return 'hello';", "params": []}`,
	`{"name": 1`,
	`[]`,
	`{}`,
	`{"name": "x", "name": "y"}`,
	"{\"name\": \"lines\", \"description\": \"Has lines.\", \"codeType\": \"Javascript\",\n  \"code\": \"const a = 1;\\nreturn (a;\"}",
	`{"name": "both", "description": "Reads.", "codeType": "Javascript", "code": "const r = fetch('https://a.example/');\nconst j = r.json();\nj.then(x => x);\nreturn j.items;", "sandboxOverrides": {"networkMode": "allowlist", "hostsAllow": ["a.example"]}}`,
	`{"name": "wide", "description": "Asks for too much.", "codeType": "Javascript", "code": "return 1;", "sandboxOverrides": {"networkMode": "everything", "hostsAllow": ["*"]}}`,
	`{"name": "args", "description": "Has arguments.", "codeType": "Javascript", "code": "return a + b;", "params": [{"name": "a", "type": "NUMBER", "required": true}, {"name": "a", "type": "WHAT"}, {"name": "return", "type": "STRING"}]}`,
	`{"name": "py", "description": "Is another language.", "codeType": "Python", "code": "print(1)"}`,
	`{"name": "keys", "description": "Holds a key.", "codeType": "Javascript", "code": "return 'AKIAIOSFODNN7EXAMPLE';", "staticVariables": [{"name": "KEY", "value": "https://user:pass@a.example"}]}`,
}

// TestThePageSaysWhatCheckSays: for each of these documents the editor in the console has
// the very problems that glovebox check has: place, rule, text and weight.
func TestThePageSaysWhatCheckSays(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.serve(t, "--console-listen", "127.0.0.1:0")
	link, err := m.command("console", "--role", "manage").Output()
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client, base := http.Client{Jar: jar}, string(link[:strings.Index(string(link), "enter?")])
	read := func(response *http.Response, err error) *goquery.Document {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		page, err := goquery.NewDocumentFromReader(io.LimitReader(response.Body, 1<<20))
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response.Status, err)
		}
		return page
	}
	read(client.Get(strings.TrimSpace(string(link))))
	token := read(client.Get(base+"write")).Find("#write input[name=token]").AttrOr("value", "")
	rules := map[string]bool{}
	for i, document := range written {
		file := filepath.Join(t.TempDir(), "spec.json")
		if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		said, _ := m.command("check", "--json", file).Output() // the exit code says that there are problems
		var checked struct {
			Files []struct {
				Problems []struct {
					Line, Column  int
					Rule, Message string
					Warning       bool
				}
			}
		}
		if err := json.Unmarshal(said, &checked); err != nil || len(checked.Files) != 1 {
			t.Fatalf("check says %s: %v", said, err)
		}
		var want, got []string
		for _, p := range checked.Files[0].Problems {
			at, weight := p.Rule, "bad"
			if p.Line > 0 {
				at = fmt.Sprintf("%d:%d", p.Line, p.Column)
			}
			if p.Warning {
				weight = "warn"
			}
			rules[p.Rule] = true
			want = append(want, strings.Join([]string{weight, at, p.Message, p.Rule}, " | "))
		}
		r, err := http.NewRequest(http.MethodPost, base+"write/check", strings.NewReader(url.Values{"token": {token}, "text": {document}}.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", r.URL.Scheme+"://"+r.URL.Host)
		read(client.Do(r)).Find("#found section[aria-labelledby=problems] li").Each(func(_ int, li *goquery.Selection) {
			state, about := li.Find(".state"), li.Find(".dim").Text()
			weight := strings.TrimPrefix(state.AttrOr("class", ""), "state ")
			rule := about[strings.LastIndex(about, " ")+1:]
			message := strings.TrimSuffix(strings.TrimPrefix(li.Text(), state.Text()), about)
			got = append(got, strings.Join([]string{weight, state.Text(), strings.TrimSpace(message), rule}, " | "))
		})
		if !slices.Equal(got, want) {
			t.Errorf("document %d: the page says\n%s\nand check says\n%s", i, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	for _, rule := range []string{"code-reader-use", "code-syntax"} {
		if !rules[rule] {
			t.Errorf("no document has the problem %s; there are %v", rule, rules)
		}
	}
}
