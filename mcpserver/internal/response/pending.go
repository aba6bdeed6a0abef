package response

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
)

// prefix begins the ids of the server's requests. What follows cannot be guessed, and
// only the client that was asked may answer.
const prefix = "glovebox:ask:"

// Refused is a client's answer that is an error.
type Refused struct {
	Code    int64
	Message string
}

func (r *Refused) Error() string {
	return fmt.Sprintf("the client answered with error %d: %s", r.Code, r.Message)
}

// Pending are the requests of a server that wait for their answers. The zero value is
// ready, and safe for concurrent use.
type Pending struct {
	mu   sync.Mutex
	byID map[string]*asked
}

type asked struct {
	owner  string
	answer chan answer // of one
}

type answer struct {
	result []byte
	err    error
}

func (p *Pending) open(owner string) (id string, heard <-chan answer, forget func()) {
	a := &asked{owner, make(chan answer, 1)}
	id = prefix + rand.Text()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byID == nil {
		p.byID = map[string]*asked{}
	}
	p.byID[id] = a
	return id, a.answer, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.byID, id)
	}
}

// Answer takes a client's answer. It reports whether the message answers a request
// of this kind at all; one that is late, or of another owner, is dropped. The message is
// copied.
func (p *Pending) Answer(owner string, m *wire.Message) bool {
	if !m.Answer {
		return false
	}
	id, _ := strings.CutPrefix(m.ID.Key(), `"`)
	if !strings.HasPrefix(id, prefix) {
		return false
	}
	p.mu.Lock()
	a := p.byID[id]
	if a != nil && a.owner == owner {
		delete(p.byID, id)
	}
	p.mu.Unlock()
	if a == nil || a.owner != owner {
		return true
	}
	if m.Result != nil {
		a.answer <- answer{result: append([]byte(nil), m.Result...)}
		return true
	}
	problem := gjson.GetBytes(m.Raw, "error")
	a.answer <- answer{err: &Refused{problem.Get("code").Int(), problem.Get("message").String()}}
	return true
}
