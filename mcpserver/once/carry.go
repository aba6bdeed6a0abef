package once

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/glovebox-run/glovebox/mcpserver/replica"
)

// ErrMoved means that the server which was asked does not have the lease, or is no more.
// It did nothing.
var ErrMoved = errors.New("it runs at another server of the cluster by now")

// Handler answers requests for something that runs here. It refuses with ErrMoved if it
// does not.
type Handler func(ctx context.Context, op string, number uint64, body []byte, caller *Caller) (any, error)

// Asker is who made a request: it is told and asked things while the request is under way.
type Asker interface {
	Tell(message json.RawMessage)
	Ask(ctx context.Context, question json.RawMessage) (json.RawMessage, error)
}

// Handle has a handler answer what others ask of a seat of this server; nil ends that.
func (c *Cluster) Handle(seat string, h Handler) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h == nil {
		delete(c.handlers, seat)
	} else {
		c.handlers[seat] = h
	}
}

const (
	// maxBody bounds what is carried of one request, and maxLine one line of an answer,
	// in bytes: a result of 8 MiB, as JSON.
	maxBody, maxLine = 16 << 20, 24 << 20
	// maxWaiting bounds what an owner keeps for a caller that does not take it; more is
	// dropped.
	maxWaiting = 256
)

// line is a part of an answer. One of its members is there.
type line struct {
	Tell  json.RawMessage `json:"tell,omitempty"`
	Ask   json.RawMessage `json:"ask,omitempty"`
	ID    string          `json:"id,omitempty"` // of what is asked
	Done  json.RawMessage `json:"done,omitempty"`
	Moved bool            `json:"moved,omitempty"`
}

// reply answers a question.
type reply struct {
	Answer json.RawMessage `json:"answer,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// Carry has the owner of a lease answer a request. moved is closed when there is another
// owner. After ErrMoved nothing was done; after any other error it is not known what was.
func (c *Cluster) Carry(ctx context.Context, to Owner, moved <-chan struct{}, op string, body []byte, asker Asker) (json.RawMessage, error) {
	if len(body) > maxBody {
		return nil, fmt.Errorf("%w: a request of more than %d MiB is not carried", ErrMoved, maxBody>>20)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := &incoming{ctx: ctx, cluster: c, owner: to, asker: asker, header: http.Header{}}
	path := "/" + to.Seat + "/" + op + "?number=" + strconv.FormatUint(to.Number, 10)
	err := c.call(ctx, in, to.Member, path, body, moved)
	switch broken := (*replica.Broken)(nil); {
	case errors.Is(err, replica.ErrGone):
		return nil, ErrMoved
	case in.done.Moved:
		return nil, ErrMoved
	case in.done.Done != nil:
		return in.done.Done, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil && !errors.As(err, &broken):
		return nil, fmt.Errorf("%s: %w", to.Host, err)
	default:
		return nil, fmt.Errorf("%s: the answer broke off", to.Host)
	}
}

func (c *Cluster) call(ctx context.Context, w http.ResponseWriter, member, path string, body []byte, moved <-chan struct{}) error {
	u, err := url.Parse(path)
	if err != nil {
		return err
	}
	r := (&http.Request{Method: http.MethodPost, URL: u, Header: http.Header{}}).WithContext(ctx)
	return c.peers.Call(w, r, member, body, moved)
}

// incoming reads the lines of an answer as they come.
type incoming struct {
	ctx     context.Context
	cluster *Cluster
	owner   Owner
	asker   Asker
	header  http.Header
	part    []byte
	done    line
}

func (in *incoming) Header() http.Header { return in.header }
func (in *incoming) WriteHeader(int)     {}

// Write implements [http.ResponseWriter].
func (in *incoming) Write(p []byte) (int, error) {
	in.part = append(in.part, p...)
	for {
		text, rest, whole := bytes.Cut(in.part, []byte("\n"))
		if !whole && len(in.part) > maxLine {
			return 0, errors.New("a line is too long")
		}
		if !whole {
			return len(p), nil
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return 0, err
		}
		in.part = bytes.Clone(rest)
		switch {
		case l.Done != nil || l.Moved:
			in.done = l
		case in.asker == nil:
		case l.Tell != nil:
			in.asker.Tell(l.Tell)
		case l.Ask != nil:
			go in.answer(l)
		}
	}
}

// answer puts a question to the asker and sends what it says to the owner.
func (in *incoming) answer(l line) {
	var r reply
	answer, err := in.asker.Ask(in.ctx, l.Ask)
	if err != nil {
		r.Error = err.Error()
	} else {
		r.Answer = answer
	}
	text, err := json.Marshal(r)
	if err != nil {
		text = []byte(`{"error":"the answer cannot be sent"}`)
	}
	// If it cannot be sent, the owner waits as long as its request may take.
	_ = in.cluster.call(in.ctx, &incoming{ctx: in.ctx, header: http.Header{}}, in.owner.Member, answers+"?id="+url.QueryEscape(l.ID), text, in.ctx.Done())
}

// answers is the path of answers; every other one has a name and a verb.
const answers = "/answer"

// asking is a question that waits for its answer.
type asking struct{ answered chan reply }

// ServeHTTP answers what the other servers ask. No client's request comes here.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil || len(body) > maxBody {
		http.Error(w, "the request does not arrive", http.StatusBadRequest)
		return
	}
	if r.URL.Path == answers {
		c.answered(r.URL.Query().Get("id"), body)
		return
	}
	seat, op, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	number, err := strconv.ParseUint(r.URL.Query().Get("number"), 10, 64)
	c.mu.Lock()
	h := c.handlers[seat]
	c.mu.Unlock()
	if h == nil || err != nil {
		_ = json.NewEncoder(w).Encode(line{Moved: true})
		return
	}
	caller := &Caller{cluster: c, lines: make(chan line, maxWaiting), over: make(chan struct{})}
	var writing sync.WaitGroup
	out := json.NewEncoder(w)
	writing.Go(func() {
		for l := range caller.lines {
			if out.Encode(l) == nil {
				_ = http.NewResponseController(w).Flush() // who hung up ends the request's context
			}
		}
	})
	result, err := h(r.Context(), op, number, body, caller)
	caller.end()
	writing.Wait()
	last := line{Moved: errors.Is(err, ErrMoved)}
	if err == nil {
		last.Done, err = json.Marshal(result)
	}
	if err == nil || last.Moved {
		_ = out.Encode(last)
	}
	// Without a last line the answer has broken off.
}

// Caller is the server that carried a request, as its handler speaks to it.
type Caller struct {
	cluster *Cluster
	mu      sync.Mutex
	lines   chan line
	over    chan struct{}
	ended   bool
}

// Tell tells the asker something. It does not wait: what is too much is dropped.
func (c *Caller) Tell(message json.RawMessage) { c.say(line{Tell: message}) }

func (c *Caller) say(l line) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return false
	}
	select {
	case c.lines <- l:
		return true
	default:
		return false
	}
}

func (c *Caller) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	close(c.lines)
	close(c.over)
}

// Ask puts a question to the asker and waits for the answer.
func (c *Caller) Ask(ctx context.Context, question json.RawMessage) (json.RawMessage, error) {
	id, a := rand.Text(), &asking{make(chan reply, 1)}
	c.cluster.mu.Lock()
	c.cluster.asking[id] = a
	c.cluster.mu.Unlock()
	defer func() {
		c.cluster.mu.Lock()
		delete(c.cluster.asking, id)
		c.cluster.mu.Unlock()
	}()
	if !c.say(line{Ask: question, ID: id}) {
		return nil, errors.New("the client does not take questions now")
	}
	select {
	case r := <-a.answered:
		if r.Error != "" {
			return nil, errors.New(r.Error)
		}
		return r.Answer, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.over:
		return nil, errors.New("the call has ended")
	}
}

func (c *Cluster) answered(id string, body []byte) {
	var r reply
	if json.Unmarshal(body, &r) != nil {
		r = reply{Error: "the answer cannot be read"}
	}
	c.mu.Lock()
	a := c.asking[id]
	c.mu.Unlock()
	if a == nil {
		return
	}
	select {
	case a.answered <- r:
	default: // the first one counts
	}
}
