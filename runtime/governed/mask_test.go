package governed_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// fill puts a text into every string below v that can be set, and one element into
// every slice and map. It returns how many strings there are.
func fill(v reflect.Value, text string) (strings int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
		return 1
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return fill(v.Elem(), text)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				strings += fill(v.Field(i), text)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"a":"` + text + `"}`))
			return 1
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		return fill(v.Index(0), text)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		strings += fill(key, text) + fill(value, text)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
	return strings
}

// TestNoSecretLeaves fills every string that a tool can return, and every one that
// goes into the record, with a secret: one that the call was given, and one that
// only looks like one. Fields that are added later are filled as well.
func TestNoSecretLeaves(t *testing.T) {
	const known = "correct-horse-battery"
	looks := "ghp_" + strings.Repeat("x7Kq2Lm9", 5)[:36] // put together here, for scanners of source
	for name, secret := range map[string]string{"given": known, "that looks like one": looks} {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		log, err := audit.Open(path, audit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tool := newEcho(risk.L5)
		tool.about.Secrets = egress.NewMasker([]string{known})
		if secret == known {
			tool.about.ID, tool.about.Category, tool.about.Content = secret, secret, secret
			tool.about.Safety = json.RawMessage(`{"hosts":["` + secret + `"]}`)
		}
		tool.run = func(*governed.Permit) (out governed.Output) {
			if n := fill(reflect.ValueOf(&out).Elem(), "at "+secret+" now"); n < 20 {
				t.Errorf("only %d strings were filled", n)
			}
			out.Failure.Cause = errors.New("because of " + secret)
			return out
		}
		var question string
		calls := governed.New(governed.Config{
			Terms: governed.Terms{
				Judge: judge(func(governed.Case) governed.Judgement {
					return governed.Judgement{Verdict: risk.Ask, Reason: "a reason"}
				}),
				Sanitiser: sanitiser(t), World: host.World{},
			},
			Audit: log,
		})
		tool.about.Approval = catalog.HumanInTheLoop{PromptTemplate: "{args}"}
		result := calls.Do(t.Context(), governed.Request{
			Tool: tool, Arguments: []byte(`{"b":"` + secret + `"}`), Caller: "token:a",
			Approver: approver(func(_ context.Context, q governed.Question) governed.Ruling {
				question = q.Text + string(q.Shown)
				if err := q.Asked("Q", "open"); err != nil {
					t.Error(err)
				}
				return governed.Ruling{Outcome: governed.Approved}
			}),
		})
		shown, err := json.Marshal(result)
		if err != nil {
			t.Fatal(err)
		}
		log.Close()
		recorded, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for where, text := range map[string]string{"result": string(shown), "failure": result.Failure.Error(), "all fields": fmt.Sprintf("%+v %+v %+v", result.Output, *result.Failure.Refusal, result.Blocked), "record": string(recorded), "question": question} {
			text = strings.ReplaceAll(text, "because of "+secret, "") // the private cause, which is for the log
			if strings.Contains(text, secret) {
				at := strings.Index(text, secret)
				t.Errorf("a secret %s is in the %s: %q", name, where, text[max(0, at-80):at+len(secret)])
			}
		}
		if !strings.Contains(string(recorded), "because of ***") && !strings.Contains(string(recorded), "because of [REDACTED") {
			t.Errorf("the record lacks the masked cause: %s", recorded)
		}
	}
}
