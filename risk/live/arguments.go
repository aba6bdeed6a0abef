package live

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds of one call's arguments. A call with more is not made.
const (
	maxArguments = 512
	maxNesting   = 32
)

// Flatten returns the values of a call's arguments, a JSON object, each with the name of
// the argument it belongs to. Member names inside of an argument are values too. unread
// says that there are more.
func Flatten(arguments []byte) (list []Argument, unread bool) {
	gjson.ParseBytes(arguments).ForEach(func(name, value gjson.Result) bool {
		unread = !flatten(&list, name.String(), value, 0)
		return !unread
	})
	return list, unread
}

func flatten(list *[]Argument, name string, value gjson.Result, depth int) bool {
	if len(*list) >= maxArguments || depth > maxNesting {
		return false
	}
	if value.IsObject() || value.IsArray() {
		whole := true
		value.ForEach(func(key, inner gjson.Result) bool {
			if key.Type == gjson.String {
				whole = flatten(list, name, key, depth+1)
			}
			whole = whole && flatten(list, name, inner, depth+1)
			return whole
		})
		return whole
	}
	if text := strings.TrimSpace(value.String()); text != "" && text != "true" && text != "false" {
		*list = append(*list, Argument{name, text})
	}
	return true
}

// Argument is one value of a call's arguments.
type Argument struct {
	Name  string // of the argument it belongs to
	Value string
}
