package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/pages"
	"github.com/glovebox-run/glovebox/mcpserver/relay"
)

// maxLists bounds the lists that a view keeps encoded: one for each method, era and
// audience. Beyond it they are made again, in milliseconds.
const maxLists = 64

// list answers a request for a page of a list.
func (v *view) list(method, cursor string, from client) (mcp.Result, error) {
	s := v.shown.Load()
	seen := v.audienceOf(from.peer)
	all := s.list(listKey{method, !from.modern(), seen.key}, seen)
	if method == "tools/list" && v.searches(s, seen) {
		all = pages.New("tools", finders)
	}
	page, err := all.Page(cursor)
	if err != nil {
		return nil, errInvalidParams
	}
	// As an SDK server would say it: the list may change at any time. What some
	// clients do not see, no cache between us may keep.
	members := `"ttlMs":0,"cacheScope":"public",`
	if seen.limited() {
		members = `"ttlMs":0,"cacheScope":"private",`
	}
	if from.modern() {
		members = `"resultType":"complete","_meta":{` + v.about + `},` + members
	}
	text := make([]byte, 0, len(members)+len(page)+2)
	text = append(append(append(text, '{'), members...), page...)
	return rawResult{text: append(text, '}')}, nil
}

// list returns one of the lists, as an audience sees it.
func (s *shown) list(key listKey, seen audience) *pages.List {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.lists[key]; l != nil {
		return l
	}
	if len(s.lists) >= maxLists {
		clear(s.lists)
	}
	l := s.make(key, seen)
	s.lists[key] = l
	return l
}

func (s *shown) make(key listKey, seen audience) *pages.List {
	if key.method != "tools/list" {
		return pages.New(s.sources.entries(key.method, seen))
	}
	entries := make([]relay.Entry, 0, len(s.tools))
	for name, o := range s.tools {
		if !seen.calls(o.About()) {
			continue
		}
		definition := o.modern
		if key.legacy {
			definition = o.legacy
		}
		entries = append(entries, relay.Entry{Key: name, Listed: definition})
	}
	return pages.New("tools", entries)
}
