package definition

import (
	"crypto/sha256"
	"encoding/json"
	"strings"
	"sync"

	"github.com/glovebox-run/glovebox/risk/poison"
)

// Memo remembers definitions and scans of them, so that admitting ten thousand tools
// again costs what has changed. It is safe for concurrent use; the zero value remembers
// nothing yet.
type Memo struct {
	mu    sync.Mutex
	read  map[[sha256.Size]byte]*remembered[*Definition]
	lists map[listed]*remembered[*List]
	scans map[scanned]*remembered[poison.Report]
	round int
}

type remembered[T any] struct {
	value T
	round int // when it was asked for last
}

// scanned is everything that a scan depends on.
type scanned struct {
	raw      [sha256.Size]byte
	siblings [sha256.Size]byte
	foreign  string
}

// List is the tools of one server, read.
type List struct {
	Definitions []*Definition // as listed
	ByName      map[string]*Definition
	// Twice are the names that are listed more than once: which tool a call would reach
	// is the server's secret.
	Twice map[string]bool

	server string
	names  []string
	sum    [sha256.Size]byte // of server and names
	alone  *poison.Names     // the names for scans; made when one needs it
}

// listed identifies a list that does not change by where it is.
type listed struct {
	server string
	first  *json.RawMessage
	length int
}

// List reads the tools that a server lists. The bytes must not change afterwards.
func (m *Memo) List(server string, raws []json.RawMessage) *List {
	key := listed{server: server, length: len(raws)}
	if len(raws) > 0 {
		key.first = &raws[0]
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.lists[key]
	if r == nil {
		r = &remembered[*List]{value: m.list(server, raws)}
		if m.lists == nil {
			m.lists = map[listed]*remembered[*List]{}
		}
		m.lists[key] = r
	}
	r.round = m.round
	return r.value
}

func (m *Memo) list(server string, raws []json.RawMessage) *List {
	l := &List{ByName: map[string]*Definition{}, Twice: map[string]bool{}, server: server}
	for _, raw := range raws {
		d := m.definition(raw)
		l.Definitions = append(l.Definitions, d)
		switch {
		case d.Name == "":
		case l.ByName[d.Name] != nil:
			l.Twice[d.Name] = true
		default:
			l.ByName[d.Name] = d
			l.names = append(l.names, d.Name)
		}
	}
	l.sum = sha256.Sum256([]byte(server + "\x00" + strings.Join(l.names, "\x00")))
	return l
}

// definition is [Read], remembered. The caller holds m.mu.
func (m *Memo) definition(raw []byte) *Definition {
	key := sha256.Sum256(raw)
	r := m.read[key]
	if r == nil {
		r = &remembered[*Definition]{value: Read(raw)}
		if m.read == nil {
			m.read = map[[sha256.Size]byte]*remembered[*Definition]{}
		}
		m.read[key] = r
	}
	r.round = m.round
	return r.value
}

// Scan returns what the poisoning scanner finds in a definition of a list, beside the
// other tools of that list and of other servers.
func (m *Memo) Scan(d *Definition, l *List, c *Company) poison.Report {
	foreign := c.foreign(l.server, d)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.scanned(scanned{d.sum, l.sum, strings.Join(foreign, "\x00")}, func() (poison.Report, error) {
		names := l.alone
		if len(foreign) > 0 {
			names = poison.NewNames(l.names, foreign)
		} else if names == nil {
			names = poison.NewNames(l.names, nil)
			l.alone = names
		}
		return poison.Scan(d.Raw, names)
	})
}

// scanned returns a scan that was made before, or makes it. The caller holds m.mu.
func (m *Memo) scanned(key scanned, scan func() (poison.Report, error)) poison.Report {
	if r := m.scans[key]; r != nil {
		r.round = m.round
		return r.value
	}
	if m.scans == nil {
		m.scans = map[scanned]*remembered[poison.Report]{}
	}
	report, err := scan()
	if err != nil {
		// What cannot be scanned must not pass as harmless.
		report.Findings = []poison.Finding{{Rule: "unreadable", Class: poison.DeceptiveText, Confidence: poison.High, Why: "the definition cannot be scanned: " + err.Error()}}
	}
	m.scans[key] = &remembered[poison.Report]{report, m.round}
	return report
}

// Sweep forgets what was not asked for since the last sweep.
func (m *Memo) Sweep() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for key, r := range m.lists {
		if r.round < m.round {
			delete(m.lists, key)
			continue
		}
		for _, d := range r.value.Definitions {
			if known := m.read[d.sum]; known != nil {
				known.round = m.round
			}
		}
	}
	for key, r := range m.read {
		if r.round < m.round {
			delete(m.read, key)
		}
	}
	for key, r := range m.scans {
		if r.round < m.round {
			delete(m.scans, key)
		}
	}
	m.round++
}

// Size returns how many lists, definitions and scans are remembered.
func (m *Memo) Size() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.lists) + len(m.read) + len(m.scans)
}
