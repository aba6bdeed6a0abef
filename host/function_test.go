package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// tableWith is the table of a tool that asks for nothing, with one function.
func tableWith(t testing.TB, schema string, call func(json.RawMessage) (any, error)) *host.Table {
	t.Helper()
	functions, err := host.NewFunctions(host.Function{
		Name: "test.take", Doc: "Takes.", Gate: host.Everywhere, Rate: budget.Structured, Arguments: json.RawMessage(schema),
		Call: func(_ context.Context, _ *budget.Account, argument json.RawMessage) (any, error) {
			return call(argument)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	grants, err := host.Mint(catalog.Posture{}, host.World{Functions: functions, Budget: host.Budget{Calls: 1 << 30, Bytes: 1 << 50}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { grants.Close() })
	return grants.Table()
}

// FuzzFunctionArgument: what a function is given is JSON that its schema allows,
// and everything else is an error that the tool can catch.
func FuzzFunctionArgument(f *testing.F) {
	for _, seed := range []string{`{"name":"a","n":1}`, `{}`, ``, `null`, `{"name":"a","name":2}`, `{"name":"a"} x`, `{"name":"\ud800"}`, "{\"name\":\"\xff\"}", `{"n":1e999,"name":"x"}`, `[[[[`} {
		f.Add([]byte(seed))
	}
	var given json.RawMessage
	table := tableWith(f, `{"type":"object","properties":{"name":{"type":"string"},"n":{"type":"integer"}},"required":["name"],"additionalProperties":false}`,
		func(argument json.RawMessage) (any, error) {
			given = argument
			return len(argument), nil
		})
	f.Fuzz(func(t *testing.T, argument []byte) {
		given = nil
		_, _, err := table.Call(t.Context(), budgettest.Ample(), "test.take", argument, nil)
		var refusal *host.Error
		switch {
		case err == nil:
			var value map[string]any
			if json.Unmarshal(given, &value) != nil {
				t.Fatalf("it was given %q", given)
			}
			if _, text := value["name"].(string); !text || len(value) > 2 {
				t.Errorf("it was given %v", value)
			}
		case !errors.As(err, &refusal) || refusal.Reason != "invalid-argument" || given != nil:
			t.Errorf("%q: %v", argument, err)
		}
	})
}

// TestACheckIsChargedBeforeItIsMade: by the parts of the schema that are applied to
// each value.
func TestACheckIsChargedBeforeItIsMade(t *testing.T) {
	argument := []byte("[1,2,3,4,5,6,7,8]")
	spent := func(schema string) uint64 {
		account := budgettest.Ample()
		if _, _, err := tableWith(t, schema, func(json.RawMessage) (any, error) { return nil, nil }).Call(t.Context(), account, "test.take", argument, nil); err != nil {
			t.Fatal(err)
		}
		return account.Spent()
	}
	plain, wide := spent(`{"items":{"type":"number"}}`), spent(`{"items":{"anyOf":[{"type":"string"},{"type":"object"},{"type":"array"},{"type":"number"}]}}`)
	if wide < 3*plain {
		t.Errorf("four alternatives cost %d, one type %d", wide, plain)
	}
	called := false
	table := tableWith(t, `{"items":{"type":"number"}}`, func(json.RawMessage) (any, error) { called = true; return nil, nil })
	if _, _, err := table.Call(t.Context(), budget.NewAccount(t.Context(), plain/2, 1<<20), "test.take", argument, nil); !errors.Is(err, budget.ErrFuel) || called {
		t.Errorf("an account with half of it: %v, called %v", err, called)
	}
}
