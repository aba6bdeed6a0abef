package catalog

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func env(pairs ...string) Lookup {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

func TestReferences(t *testing.T) {
	for template, want := range map[string][]string{
		"${A}":                     {"A"},
		"x${A_1}y${B}z${A_1}":      {"A_1", "B"},
		"${_A}${A9}${_}":           {"_A", "A9", "_"},
		"${a}${1A}${A-B}${A b}${}": nil,
		"$A {A} ${A $${B}":         {"B"},
		"${Ab}${AB}":               {"AB"},
		"${${A}}":                  {"A"},
		"${Ä}${A\n}":               nil,
	} {
		if got := References(template); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", template, got, want)
		}
	}
}

func TestResolveStaticVariables(t *testing.T) {
	s := mustParse(t, with(`"staticVariables":[{"url":"https://${HOST}/v2?k=${KEY}"},{"k":"plain"},{"k":"${KEY}"},{"low":"${key}"},{"loop":"${LOOP}"}]`))
	got, err := s.ResolveStaticVariables(env("HOST", "api.example", "KEY", "s3cret", "LOOP", "${KEY}"))
	want := "[{url https://api.example/v2?k=s3cret} {k plain} {k s3cret} {low ${key}} {loop ${KEY}}] [${KEY} api.example s3cret]"
	if err != nil || fmt.Sprint(got.Variables, got.Secrets) != want {
		t.Errorf("got %v %v, %v", got.Variables, got.Secrets, err)
	}
}

func TestUnsetVariablesAreAllNamed(t *testing.T) {
	s := mustParse(t, with(`"staticVariables":[{"a":"${UNSET}-${BLANK}"},{"b":"${UNSET}"},{"c":"${SET}"}]`))
	got, err := s.ResolveStaticVariables(env("BLANK", " \t\n", "SET", "v"))
	var missing *MissingError
	if !errors.As(err, &missing) || !slices.Equal(missing.Missing, []Missing{{"UNSET", "a"}, {"BLANK", "a"}}) {
		t.Fatalf("%v", err)
	}
	if fmt.Sprint(got.Variables, got.Secrets) != "[{a ${UNSET}-${BLANK}} {b ${UNSET}} {c v}] [v]" {
		t.Errorf("%v", got)
	}
	if _, err := s.ResolveStaticVariables(nil); err == nil {
		t.Error("no lookup at all found something")
	}
}

func TestFirstOf(t *testing.T) {
	lookup := FirstOf(nil, env("A", "file", "B", " "), env("A", "env", "B", "env", "C", ""))
	for name, want := range map[string]string{"A": "file", "B": "env", "C": "", "D": ""} {
		if got, ok := lookup(name); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

func TestState(t *testing.T) {
	published := mustParse(t, with(`"draft":false,"staticVariables":[{"k":"${KEY}"}]`))
	draft := mustParse(t, with(`"draft":true`))
	for _, tc := range []struct {
		name   string
		spec   *Spec
		passed bool
		lookup Lookup
		want   State
	}{
		{"no spec", nil, true, nil, Draft},
		{"a draft that passed", draft, true, nil, Draft},
		{"not a draft by its own word only", published, false, env("KEY", "v"), Draft},
		{"everything there", published, true, env("KEY", "v"), Active},
		{"unset later", published, true, env(), MissingRequirements},
		{"blank", published, true, env("KEY", " "), MissingRequirements},
	} {
		if got := tc.spec.State(tc.passed, tc.lookup); got != tc.want || got.Published() != (tc.want == Active) {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
	if State(0).Published() {
		t.Error("the zero state is published")
	}
}

func TestAnEditRaisesTheDraftAgain(t *testing.T) {
	before := mustParse(t, with(`"draft":false`))
	cosmetic := mustParse(t, with(`"draft":false,"updateTimestamp":5,"x-note":"n"`))
	if after, problems := AfterEdit(before, cosmetic); problems != nil || after.Draft() {
		t.Errorf("%v: %s", problems, after.Raw())
	}
	wider := mustParse(t, with(`"sandboxOverrides":{"fileWrite":true},"draft":false`))
	if after, problems := AfterEdit(before, wider); problems != nil || !after.Draft() || after.Hash() != wider.Hash() {
		t.Errorf("%v: %s", problems, after.Raw())
	}
}
