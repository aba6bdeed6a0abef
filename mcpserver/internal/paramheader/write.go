package paramheader

import (
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Set repeats arguments, a JSON object or nothing, in headers as [Check] wants them.
func Set(header http.Header, bindings []Binding, arguments []byte) {
	if len(bindings) == 0 {
		return
	}
	all := gjson.ParseBytes(arguments)
	for _, b := range bindings {
		switch given := argument(all, b.path); {
		case given.Type == gjson.String:
			header.Set(b.header, Value(given.String()))
		case given.IsBool():
			header.Set(b.header, given.Raw)
		case given.Type == gjson.Number && whole(given.Num):
			header.Set(b.header, strconv.FormatInt(int64(given.Num), 10))
		}
	}
}

// Value returns text as a header can carry it: what is no printable ASCII, has space at
// an end or looks encoded is sent in base64.
func Value(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) && strings.Trim(text, " ") == text {
		if same, ok := plain(text); ok && same == text {
			return text
		}
	}
	return before + base64.StdEncoding.EncodeToString([]byte(text)) + after
}

// before and after surround base64 in a header.
const before, after = "=?base64?", "?="
