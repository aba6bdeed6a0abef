// Package pages cuts lists of definitions into pages and keeps the encoded pages.
//
//	List   immutable, sorted by key; Page returns one page as JSON
//
// The definitions are written as the bytes they are. A cursor names the last key of
// the page before, so it stays good when the list changes: what follows comes next.
package pages

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/glovebox-run/glovebox/mcpserver/relay"
)

// What one page holds, whichever comes first.
const (
	// MaxEntries is the page of the SDK's servers. Clients that never ask for a second
	// page see as much as they would of any server.
	MaxEntries = 1000
	// MaxBytes is a quarter of the 4 MiB that other implementations accept as one
	// message; one larger definition has a page of its own.
	MaxBytes = 1 << 20
)

// ErrCursor means a cursor that no page had.
var ErrCursor = errors.New("the cursor is not one of ours")

// List is a list of definitions. It is safe for concurrent use.
type List struct {
	head    string // `"tools":[`
	entries []relay.Entry
	starts  []int // of the pages, and the end of the list

	mu      sync.Mutex
	encoded map[int][]byte // by start
}

// New returns the list of entries under the name of a result's member. Of two entries
// with one key the first stays.
func New(member string, entries []relay.Entry) *List {
	l := &List{head: `"` + member + `":[`, encoded: map[int][]byte{}}
	l.entries = slices.Clone(entries)
	slices.SortStableFunc(l.entries, func(a, b relay.Entry) int { return strings.Compare(a.Key, b.Key) })
	l.entries = slices.CompactFunc(l.entries, func(a, b relay.Entry) bool { return a.Key == b.Key })
	size := 0
	for i := range l.entries {
		last := len(l.starts) - 1
		size += len(l.entries[i].Listed) + 1
		if last < 0 || i-l.starts[last] == MaxEntries || size > MaxBytes {
			l.starts = append(l.starts, i)
			size = len(l.entries[i].Listed) + 1
		}
	}
	l.starts = append(l.starts, len(l.entries))
	return l
}

// Len returns the number of entries.
func (l *List) Len() int { return len(l.entries) }

// Page returns the page after a cursor, and the first one for an empty cursor, as
// members of a JSON object: the cursor of the next page if there is one, and the
// entries. The caller must not change it.
func (l *List) Page(cursor string) ([]byte, error) {
	from := 0
	if cursor != "" {
		after, err := decode(cursor)
		if err != nil {
			return nil, err
		}
		from = sort.Search(len(l.entries), func(i int) bool { return l.entries[i].Key > after })
	}
	// The end of the page that begins at or before from.
	next, begins := slices.BinarySearch(l.starts, from)
	if begins && next < len(l.starts)-1 {
		next++
	}
	to := l.starts[next]
	if !begins {
		return l.encode(from, to), nil // the list was another one when the cursor was made
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	page := l.encoded[from]
	if page == nil {
		page = l.encode(from, to)
		l.encoded[from] = page
	}
	return page, nil
}

func (l *List) encode(from, to int) []byte {
	size := len(l.head) + 1
	for _, e := range l.entries[from:to] {
		size += len(e.Listed) + 1
	}
	var out []byte
	if to < len(l.entries) {
		cursor := encode(l.entries[to-1].Key)
		out = make([]byte, 0, size+len(cursor)+len(`"nextCursor":"",`))
		out = append(append(append(out, `"nextCursor":"`...), cursor...), `",`...)
	} else {
		out = make([]byte, 0, size)
	}
	out = append(out, l.head...)
	for i, e := range l.entries[from:to] {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, e.Listed...)
	}
	return append(out, ']')
}

// mark begins every cursor before it is encoded, so that other text is told apart.
const mark = "after:"

func encode(key string) string { return base64.RawURLEncoding.EncodeToString([]byte(mark + key)) }

func decode(cursor string) (string, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return "", ErrCursor
	}
	key, ours := strings.CutPrefix(string(text), mark)
	if !ours {
		return "", ErrCursor
	}
	return key, nil
}

// Entry returns the definition with a key, or nil.
func (l *List) Entry(key string) json.RawMessage {
	at := sort.Search(len(l.entries), func(i int) bool { return l.entries[i].Key >= key })
	if at == len(l.entries) || l.entries[at].Key != key {
		return nil
	}
	return l.entries[at].Listed
}
