package host_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// BenchmarkFunctionArgument shows what decoding and checking an argument takes
// for each unit that is charged: eight units are a nanosecond.
func BenchmarkFunctionArgument(b *testing.B) {
	for name, tc := range map[string]struct{ schema, argument string }{
		"numbers":      {`{"type":"array","items":{"type":"number"}}`, "[" + strings.Repeat("1,", 50_000) + "1]"},
		"empty":        {`{}`, "[" + strings.Repeat("{},", 30_000) + "{}]"},
		"objects":      {`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["a"],"additionalProperties":false}}`, "[" + strings.Repeat(`{"a":"x","b":1},`, 6_000) + `{"a":"x"}]`},
		"alternatives": {`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"integer","minimum":5},{"type":"object","required":["z"]},{"type":"integer"}]}}`, "[" + strings.Repeat("1,", 50_000) + "1]"},
		"unique":       {`{"type":"array","uniqueItems":true}`, "[" + strings.Repeat("1,", 2_000) + "2]"},
	} {
		b.Run(name, func(b *testing.B) {
			functions, err := host.NewFunctions(host.Function{
				Name: "test.take", Doc: "Takes.", Gate: host.Everywhere, Rate: budget.Structured, Arguments: json.RawMessage(tc.schema),
				Call: func(context.Context, *budget.Account, json.RawMessage) (any, error) { return nil, nil },
			})
			if err != nil {
				b.Fatal(err)
			}
			grants, err := host.Mint(catalog.Posture{}, host.World{Functions: functions, Budget: host.Budget{Calls: 1 << 30, Bytes: 1 << 50}})
			if err != nil {
				b.Fatal(err)
			}
			defer grants.Close()
			var spent uint64
			for b.Loop() {
				account := budgettest.Ample()
				grants.Table().Call(b.Context(), account, "test.take", []byte(tc.argument), nil)
				spent += account.Spent()
			}
			b.ReportMetric(float64(spent)/8/float64(b.Elapsed().Nanoseconds()), "charged/taken")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(tc.argument)), "ns/byte")
		})
	}
}
