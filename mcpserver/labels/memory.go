package labels

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/risk/live"
)

// Memory keeps sessions for as long as the process lives.
type Memory struct {
	mu      sync.Mutex
	most    int // sessions
	kept    map[string]*remembered
	objects map[live.Object]live.Label
	full    live.Label // of all objects that there was no room for
	horizon bool       // a session was dropped
}

type remembered struct {
	head     Head
	revision uint64
	round    int // of the texts
	texts    []live.Text
}

// NewMemory returns an empty keeper.
func NewMemory() *Memory {
	return &Memory{most: MaxSessions, kept: map[string]*remembered{}, objects: map[live.Object]live.Label{}}
}

var _ Keeper = (*Memory)(nil)

// Head implements [Keeper].
func (m *Memory) Head(_ context.Context, key string) (Head, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.kept[key]; r != nil && r.revision > 0 {
		return r.head, r.revision, nil
	}
	if m.horizon {
		return forgotten(), 0, nil
	}
	return Head{}, 0, nil
}

// Unchanged implements [Keeper].
func (m *Memory) Unchanged(_ context.Context, key string, revision uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.kept[key]
	return r != nil && r.revision == revision
}

// Put implements [Keeper].
func (m *Memory) Put(_ context.Context, key string, h Head, revision uint64) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.session(key)
	if r.revision != revision {
		return 0, errConflict
	}
	r.begin(h.Round)
	r.head = h
	r.revision++
	return r.revision, nil
}

// begin drops the texts of earlier rounds.
func (r *remembered) begin(round int) {
	if round > r.round {
		r.round, r.texts = round, nil
	}
}

// session returns what is kept of a session, if need be nothing yet.
func (m *Memory) session(key string) *remembered {
	r := m.kept[key]
	if r == nil {
		if len(m.kept) >= m.most {
			m.drop()
		}
		r = &remembered{}
		m.kept[key] = r
	}
	return r
}

// drop forgets the sessions that were not used for longest, several at a time: finding
// them takes a look at all.
func (m *Memory) drop() {
	type session struct {
		key  string
		used time.Time
	}
	all := make([]session, 0, len(m.kept))
	for key, r := range m.kept {
		all = append(all, session{key, r.head.Used})
	}
	slices.SortFunc(all, func(a, b session) int { return a.used.Compare(b.used) })
	for _, s := range all[:max(1, min(dropped, m.most/10))] {
		delete(m.kept, s.key)
	}
	m.horizon = true
}

// Texts implements [Keeper].
func (m *Memory) Texts(_ context.Context, key string, round int) ([]live.Text, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.kept[key]; r != nil && r.round == round {
		return slices.Clone(r.texts), nil
	}
	return nil, nil
}

// Add implements [Keeper].
func (m *Memory) Add(_ context.Context, key string, round int, texts []live.Text) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.session(key)
	if r.begin(round); r.round == round {
		for _, t := range texts {
			if !t.Label.Untrusted {
				t.Read()
				t.Words = "" // as on a shelf: private data does not lie about in the clear
			}
			r.texts = append(r.texts, t)
		}
	}
	return nil
}

// List implements [Keeper].
func (m *Memory) List(context.Context) ([]Head, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []Head
	for _, r := range m.kept {
		all = append(all, r.head)
	}
	newestFirst(all)
	return all, nil
}

func newestFirst(all []Head) {
	slices.SortFunc(all, func(a, b Head) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Principal, b.Principal))
	})
}

// Objects implements [Keeper].
func (m *Memory) Objects(_ context.Context, objects []live.Object) (live.Label, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	label := m.full
	for _, o := range objects {
		label = label.Join(m.objects[o])
	}
	return label, nil
}

// Mark implements [Keeper].
func (m *Memory) Mark(_ context.Context, objects []live.Object, label live.Label) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, o := range objects {
		if _, known := m.objects[o]; !known && len(m.objects) >= MaxObjects {
			m.full = m.full.Join(label) // nobody knows any more which object it is
			continue
		}
		m.objects[o] = m.objects[o].Join(label)
	}
	return nil
}
