package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tidwall/gjson"
)

// Looker is a session that can only look: it says what a server is, lists what it has and
// reads resources. It has no way to call a tool, and the server can ask it for nothing.
type Looker struct{ s *Session }

// Look is [Open] for looking. Of the options only era, name and version are used.
func Look(ctx context.Context, dial Dial, o Options) (*Looker, error) {
	s, err := Open(ctx, dial, Options{Era: o.Era, Name: o.Name, Version: o.Version, looking: true})
	if err != nil {
		return nil, err
	}
	return &Looker{s}, nil
}

// Info returns what the server said about itself.
func (l *Looker) Info() *Info { return l.s.Info() }

// List reads a list to its end; see [Session.List].
func (l *Looker) List(ctx context.Context, method string) (*List, error) {
	return l.s.List(ctx, method)
}

// Page reads one page of a list, from a cursor on; the empty one begins. next is empty on
// the last page. Items that came before something unreadable are returned beside the
// error. It is for those who want less than the whole list.
func (l *Looker) Page(ctx context.Context, method, cursor string) (items []json.RawMessage, next string, err error) {
	key, ok := listKeys[method]
	if !ok {
		return nil, "", fmt.Errorf("%q is no list", method)
	}
	var params json.RawMessage
	if cursor != "" {
		if params, err = json.Marshal(map[string]string{"cursor": cursor}); err != nil {
			return nil, "", err
		}
	}
	result, err := l.s.ask(ctx, method, params)
	if err != nil {
		return nil, "", err
	}
	if !gjson.GetBytes(result, key).IsArray() {
		return nil, "", fmt.Errorf("the answer to %s has no list of %s", method, key)
	}
	var page List
	if page.page(result, key); page.Truncated != "" {
		return page.Items, "", fmt.Errorf("%s: %s", method, page.Truncated)
	}
	if c := gjson.GetBytes(result, "nextCursor"); c.Type == gjson.String && len(c.Str) <= maxCursor {
		next = c.Str
	}
	return page.Items, next, nil
}

// Read reads one resource and returns the result as it was sent.
func (l *Looker) Read(ctx context.Context, uri string) (json.RawMessage, error) {
	params, err := json.Marshal(map[string]string{"uri": uri})
	if err != nil {
		return nil, err
	}
	return l.s.ask(ctx, "resources/read", params)
}

// Counts returns what was dropped or refused, by name.
func (l *Looker) Counts() map[string]int64 { return l.s.Counts() }

// Close ends the session.
func (l *Looker) Close(ctx context.Context) { l.s.Close(ctx) }
