package paramheader

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
)

// FuzzSet: what is written is what the other side accepts, and can stand in a header.
func FuzzSet(f *testing.F) {
	for _, text := range []string{"eu", "", " ", "Zürich", "=?base64?eA==?=", "=?base64?", "a\r\nX-Evil: 1", "\x7f", "\u2028"} {
		f.Add(text, int64(len(text)), text == "")
	}
	f.Fuzz(func(t *testing.T, text string, number int64, boolean bool) {
		bindings := Of(json.RawMessage(`{"properties":{"t":{"x-mcp-header":"T"},"o":{"properties":{"n":{"x-mcp-header":"N"}}},"b":{"x-mcp-header":"B"},"none":{"x-mcp-header":"None"}}}`))
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		arguments := fmt.Appendf(nil, `{"t":%s,"o":{"n":%d},"b":%v,"none":null}`, quoted, number, boolean)
		header := http.Header{}
		Set(header, bindings, arguments)
		for name, values := range header {
			for _, c := range values[0] {
				if c < ' ' || c > '~' {
					t.Errorf("%s: %q", name, values)
				}
			}
		}
		if err := Check(header, bindings, arguments); err != nil && text != "" && -1<<53 < number && number < 1<<53 {
			t.Errorf("%s with %v: %v", arguments, header, err)
		}
	})
}
