package catalog

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/glovebox-run/glovebox/internal/vectors"
)

type activationInput struct {
	Draft           bool                `json:"draft"`
	StaticVariables []map[string]string `json:"static_variables"`
	Env             map[string]string   `json:"env"`
	Spec            json.RawMessage     `json:"spec"`
}

type activationExpect struct {
	Activation  *string   `json:"activation"`
	DeclaredEnv *[]string `json:"declared_env"`
}

func TestVectorsActivation(t *testing.T) {
	vectors.Run(t, "activation", func(t *testing.T, in activationInput, want activationExpect) {
		spec := in.spec(t)
		lookup := func(name string) (string, bool) { v, ok := in.Env[name]; return v, ok }
		if want.Activation != nil && spec.State(true, lookup).String() != *want.Activation {
			t.Errorf("state %v, want %s", spec.State(true, lookup), *want.Activation)
		}
		if want.DeclaredEnv != nil && !slices.Equal(spec.Requirements(), *want.DeclaredEnv) {
			t.Errorf("requirements %q, want %q", spec.Requirements(), *want.DeclaredEnv)
		}
		if want.Activation == nil && want.DeclaredEnv == nil {
			t.Error("the row expects nothing")
		}
	})
}

// spec makes the document that a row describes; a row with "spec": null means no
// spec at all.
func (in activationInput) spec(t *testing.T) *Spec {
	raw := in.Spec
	if string(raw) == "null" {
		return nil
	}
	if raw == nil {
		text, err := json.Marshal(map[string]any{
			"name": "t", "code": "", "codeType": "Javascript", "draft": in.Draft, "staticVariables": in.StaticVariables,
		})
		if err != nil {
			t.Fatal(err)
		}
		raw = text
	}
	return mustParse(t, string(raw))
}

type schemaInput struct {
	Spec json.RawMessage `json:"spec"`
}

type schemaExpect struct {
	Valid *bool `json:"valid"`
}

func TestVectorsSchema(t *testing.T) {
	vectors.Run(t, "schema", func(t *testing.T, in schemaInput, want schemaExpect) {
		_, problems := Parse(in.Spec)
		if want.Valid == nil || (len(problems) == 0) != *want.Valid {
			t.Errorf("problems %v, want valid %v", problems, want.Valid)
		}
	})
}

func mustParse(t testing.TB, text string) *Spec {
	t.Helper()
	spec, problems := Parse([]byte(text))
	if len(problems) > 0 {
		t.Fatalf("%s: %v", text, problems)
	}
	return spec
}
