package session

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

// Bounds of one list. A list that reaches one ends there and says so.
const (
	// MaxItems is beyond the largest servers known, which offer some hundred tools.
	MaxItems = 5000
	// MaxPages allows a page for every ten items.
	MaxPages = 500
	// MaxListBytes bounds the definitions of one list together; all of them are kept.
	MaxListBytes = 16 << 20
	// maxCursor bounds a cursor in bytes; all of one list are kept until its end.
	maxCursor = 4 << 10
)

// List is what a server lists, each item as it was sent.
type List struct {
	Items []json.RawMessage
	// Truncated says at which bound the list ended; empty for a whole list.
	Truncated string
	TTL       time.Duration // how long the server says it holds; 0 if it does not say
}

// listKeys are the members that hold the items, by method.
var listKeys = map[string]string{
	"tools/list":               "tools",
	"resources/list":           "resources",
	"resources/templates/list": "resourceTemplates",
	"prompts/list":             "prompts",
}

// List reads a list to its end: tools/list, resources/list, resources/templates/list or
// prompts/list.
func (s *Session) List(ctx context.Context, method string) (*List, error) {
	key, ok := listKeys[method]
	if !ok {
		return nil, fmt.Errorf("%q is no list", method)
	}
	list, size := &List{}, 0
	cursors := map[string]bool{}
	var params json.RawMessage
	for page := 1; ; page++ {
		result, err := s.ask(ctx, method, params)
		if err != nil {
			return nil, err
		}
		if size += len(result); size > MaxListBytes {
			list.Truncated = fmt.Sprintf("more than %d MiB", MaxListBytes>>20)
			break
		}
		if list.page(result, key); list.Truncated != "" {
			break
		}
		next := gjson.GetBytes(result, "nextCursor")
		if next.Type != gjson.String && next.Type != gjson.Null && list.Truncated == "" {
			list.Truncated = "nextCursor is no text"
		}
		if next.Type != gjson.String || next.Str == "" {
			break
		}
		switch {
		case cursors[next.Str]:
			list.Truncated = "a cursor came twice"
		case len(next.Str) > maxCursor:
			list.Truncated = fmt.Sprintf("a cursor of more than %d KiB", maxCursor>>10)
		case page == MaxPages:
			list.Truncated = fmt.Sprintf("more than %d pages", MaxPages)
		}
		if list.Truncated != "" {
			break
		}
		cursors[next.Str] = true
		params = json.RawMessage(`{"cursor":` + next.Raw + `}`)
	}
	if method == "tools/list" {
		s.bind(list.Items)
	}
	return list, nil
}

// page adds the items of one page.
func (l *List) page(result []byte, key string) {
	if ttl := gjson.GetBytes(result, "ttlMs"); ttl.Type == gjson.Number && ttl.Num > 0 {
		holds := time.Duration(min(ttl.Num, float64(maxTTL.Milliseconds()))) * time.Millisecond
		if l.TTL == 0 || holds < l.TTL {
			l.TTL = holds
		}
	}
	items := gjson.GetBytes(result, key)
	if !items.IsArray() {
		l.Truncated = key + " is no list"
	}
	items.ForEach(func(_, item gjson.Result) bool {
		switch {
		case l.Truncated != "":
		case len(l.Items) == MaxItems:
			l.Truncated = fmt.Sprintf("more than %d items", MaxItems)
		case !item.IsObject():
			l.Truncated = "an item that is no object"
		default:
			l.Items = append(l.Items, result[item.Index:item.Index+len(item.Raw):item.Index+len(item.Raw)])
			return true
		}
		return false
	})
}

// maxTTL is the longest that a list is believed to hold.
const maxTTL = 24 * time.Hour
