package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
)

// The bar is a thousand specs in a second, warnings and all.
func BenchmarkCheckThousandSpecs(b *testing.B) {
	inputs := make([]Input, 1000)
	for i := range inputs {
		inputs[i] = Input{fmt.Sprintf("%d.json", i), fmt.Appendf(nil, `{
  "name": "search%d", "description": %q, "category": "WEB", "tags": ["search"],
  "params": [{"name":"query","type":"STRING","required":true,"testValue":"glovebox","description":"What to look for"},
    {"name":"limit","type":"INTEGER","required":false,"testValue":"5","description":"How many"}],
  "staticVariables": [{"key":"${SEARCH_KEY}"}], "code": %q, "codeType": "Javascript",
  "sandboxOverrides": {"networkMode":"allowlist","hostsAllow":["api.search.example"]}, "draft": false}`,
			i, strings.Repeat("Looks for pages. ", 20), strings.Repeat("const page = await fetch(base + query);\n", 60))}
	}
	b.ReportAllocs()
	for b.Loop() {
		if r := Check(inputs, catalog.DefaultBaseline(), catalog.NoCeiling(), nil, nil); r.Errors+r.Warnings > 0 {
			b.Fatal(r.Files[0].Problems)
		}
	}
}
