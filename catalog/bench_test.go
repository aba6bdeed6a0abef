package catalog

import (
	"fmt"
	"strings"
	"testing"
)

// typical is about as large as the specs that people write.
var typical = fmt.Sprintf(`{
  "toolId": "e30d037d-20cf-55f2-b43a-1b89560417da", "name": "searchPages", "description": %q, "category": "WEB", "tags": ["search"],
  "params": [{"name":"query","type":"STRING","required":true,"testValue":"glovebox","description":"What to look for"},
    {"name":"limit","type":"INTEGER","required":false,"testValue":"5","description":"How many"}],
  "staticVariables": [{"key":"${SEARCH_KEY}"},{"base":"https://${SEARCH_HOST}/v2"}],
  "code": %q, "codeType": "Javascript",
  "sandboxOverrides": {"networkMode":"allowlist","hostsAllow":["api.search.example","*.cdn.example"],"fileRead":true},
  "toolSafety": {"version":"1.0","runtime":{"helpers":["safety.http/v1","safety.fs/v1"]}},
  "draft": false, "createTimestamp": 1700000000000, "updateTimestamp": 1700000000000}`,
	strings.Repeat("Looks for pages. ", 20), strings.Repeat("const page = await fetch(base + query);\n", 60))

func BenchmarkParse(b *testing.B) {
	data := []byte(typical)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, problems := Parse(data); problems != nil {
			b.Fatal(problems)
		}
	}
}

// The bar is 10 us.
func BenchmarkResolve(b *testing.B) {
	spec := mustParse(b, typical)
	baseline, ceiling := DefaultBaseline(), NoCeiling()
	b.ReportAllocs()
	for b.Loop() {
		if _, _, problems := spec.Resolve(baseline, ceiling, SourceUser); problems != nil {
			b.Fatal(problems)
		}
	}
}

// Per kilobyte, twice the size must cost about the same: that is what linear
// means.
func BenchmarkHostile(b *testing.B) {
	for _, size := range []int{200_000, 400_000} {
		for name, text := range hostile(size) {
			b.Run(fmt.Sprintf("%s/%dk", strings.ReplaceAll(name, " ", "-"), size/1000), func(b *testing.B) {
				data := []byte(text)
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					Parse(data)
				}
			})
		}
	}
}
