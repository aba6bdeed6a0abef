package mcpserver

//lint:file-ignore SA1019 what is deprecated is relayed for as long as servers use it

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/eras"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// In the protocol without sessions a server asks by answering: its result names the
// input it needs, and the client repeats the request with it. A server behind us that
// asks in the middle of a call must not see the call twice, so the call goes on here
// while its client is away, and the repeated request waits for the same call.

// parked is a call of a client without a session.
type parked struct {
	lot       *lot
	id        string
	bound     func() []byte // what every request of this call has in common
	principal string
	tool      *offer
	method    eras.Method
	about     string             // of the server, for results
	session   *mcp.ServerSession // over streams; nil over HTTP, where each request has its own
	talk      *conversation
	cancel    context.CancelCauseFunc

	questions chan *question
	finished  chan struct{} // closed when result is there
	result    *governed.Result

	asking sync.Mutex // held by the one question that is put

	mu   sync.Mutex
	open *question // that the client was sent away with
	turn int       // counts the rounds; an answer is good for one
	wait *time.Timer
}

// question is what another server asks at once and a client has to answer.
type question struct {
	asked  []governed.Asked
	answer chan []json.RawMessage // one for each
}

// keys returns the names under which a client sees the requests: the server's, if each
// has one of its own.
func (q *question) keys() []string {
	keys, seen := make([]string, len(q.asked)), map[string]bool{}
	for i, a := range q.asked {
		if keys[i] = cmp.Or(a.Key, askedKey); seen[keys[i]] {
			keys[i] = fmt.Sprintf("%s %d", askedKey, i+1)
		}
		seen[keys[i]] = true
	}
	return keys
}

// lot holds the parked calls.
type lot struct {
	each, all int           // calls of one principal, and of all
	patience  time.Duration // between a question and its answer
	process   string        // its name in the states, drawn by lot
	key       []byte        // of the states; they end with the process, as the calls do

	mu     sync.Mutex
	calls  map[string]*parked
	closed error // why no call may wait any more
}

func newLot(each, all int, patience time.Duration) *lot {
	l := &lot{each: max(1, each), all: max(1, all), patience: patience, process: rand.Text()[:10], key: make([]byte, 32), calls: map[string]*parked{}}
	rand.Read(l.key)
	return l
}

// A call that waits for its client has no slot, but one of the 16 requests that a
// server behind us is sent at a time unless its operator says otherwise. One client must
// not take all of them.
const (
	parkedEach = 8   // calls of one principal
	parkedAll  = 512 // of all; some 50 KiB each
)

// askedKey begins the name of a question for which its server has none, in a result
// that asks for input. The question of ours has another kind of state; see ask.go.
const askedKey = "server"

// Why a call ends whose client is away.
var (
	errAway   = errors.New("the client did not answer in time")
	errHungUp = errors.New("the client hung up")
)

// begin is a call whose client may be asked.
func (l *lot) begin(x *exchange, talk *conversation, cancel context.CancelCauseFunc) *parked {
	p := &parked{
		lot: l, id: rand.Text(), bound: sync.OnceValue(x.bound), principal: x.principal, tool: x.tool, method: x.method, about: x.about, talk: talk, cancel: cancel,
		questions: make(chan *question), finished: make(chan struct{}),
	}
	if x.extra == nil || x.extra.Header == nil {
		p.session = x.session
	}
	talk.parked = p
	return p
}

// park keeps a call while its client is away, if there is room.
func (l *lot) park(p *parked) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed != nil || l.calls[p.id] != nil {
		return l.closed
	}
	own := 0
	for _, other := range l.calls {
		if other.principal == p.principal {
			own++
		}
	}
	if own >= l.each || len(l.calls) >= l.all {
		return errors.New("too many calls wait for answers of clients")
	}
	l.calls[p.id] = p
	return nil
}

func (l *lot) forget(p *parked) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.calls, p.id)
}

// leave ends the calls that wait for an answer: those of a session that ended, or, for
// nil, all, and then none may wait any more.
func (l *lot) leave(session *mcp.ServerSession, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if session == nil {
		l.closed = why
	}
	for _, p := range l.calls {
		if session == nil || p.session == session {
			p.away(why)
		}
	}
}

// put asks the client and waits for its answers. A second question waits until the
// first is answered.
func (p *parked) put(ctx context.Context, asked []governed.Asked) ([]json.RawMessage, error) {
	p.asking.Lock()
	defer p.asking.Unlock()
	if err := p.lot.park(p); err != nil {
		return nil, err
	}
	q := &question{asked, make(chan []json.RawMessage, 1)}
	select {
	case p.questions <- q:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.finished:
		return nil, errNobody
	}
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-p.finished:
		return nil, errNobody
	}
}

// attend waits with a client for the end of the call or for a question, which the
// client then carries away. A client that hangs up ends the call.
func (p *parked) attend(ctx context.Context) (*governed.Result, *mcp.Result) {
	select {
	case <-p.finished:
		return p.result, nil
	default:
	}
	select {
	case <-p.finished:
	case <-ctx.Done():
		p.cancel(context.Cause(ctx))
		<-p.finished
	case q := <-p.questions:
		p.talk.leave()
		p.mu.Lock()
		defer p.mu.Unlock()
		asked := p.send(q)
		return nil, &asked
	}
	return p.result, nil
}

// send sends the client away with a question. mu must be held.
func (p *parked) send(q *question) mcp.Result {
	p.open = q
	p.turn++
	p.wait = time.AfterFunc(p.lot.patience, func() { p.away(errAway) })
	asked := map[string]inputRequest{}
	for i, key := range q.keys() {
		asked[key] = inputRequest{q.asked[i].Method, q.asked[i].Params}
	}
	return inputRequired(p.method, asked, p.state(), p.about)
}

// away ends the call if its client is away.
func (p *parked) away(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open != nil {
		p.wait.Stop()
		p.open = nil
		p.cancel(why)
	}
}

// stateMark begins the states of parked calls. Those of approvals begin otherwise.
const stateMark = "call."

// state seals what an answer must come with: this call, this round, and by its key
// everything in bound. In front stands the process, so that another one can say that it
// is not the one. mu must be held.
func (p *parked) state() string {
	turn := strconv.Itoa(p.turn)
	return stateMark + p.lot.process + "." + p.id + "." + turn + "." + p.lot.seal(p.id, turn, p.bound())
}

func (l *lot) seal(id, turn string, bound []byte) string {
	mac := hmac.New(sha256.New, l.key)
	fmt.Fprintf(mac, "%s.%s.", id, turn)
	mac.Write(bound)
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// The ways in which an answer does not count.
var (
	errState = invalid("the requestState is not of this call: it must come back unchanged, with the same name and arguments, from the same client")
	errElse  = invalid("the call that was asked about is not in this process: it waited in one that was restarted, or that a load balancer has passed by, and its answer is lost. Whatever it did before it asked is done; make the call again without requestState. Operator: requests of one client must reach the same process, or the processes share a cluster")
	errOver  = invalid("the call that was asked about is over: the answer came too late or came before. Make the call again without requestState")
	errKind  = invalid("inputResponses does not answer what was asked")
)

func invalid(message string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// resume finds the call that a repeated request belongs to, and hands the answer over.
// Without an answer in it the question is put again.
func (l *lot) resume(x *exchange) (*parked, *mcp.Result, error) {
	process, rest, _ := strings.Cut(strings.TrimPrefix(x.state, stateMark), ".")
	if parts := strings.Split(rest, "."); process != l.process && len(process) == len(l.process) && len(parts) == 3 {
		return nil, nil, errElse // it has another key, so nothing else can be told
	}
	parts := strings.Split(rest, ".")
	if process != l.process || len(parts) != 3 || !hmac.Equal([]byte(parts[2]), []byte(l.seal(parts[0], parts[1], x.bound()))) {
		return nil, nil, errState
	}
	l.mu.Lock()
	p := l.calls[parts[0]]
	l.mu.Unlock()
	if p == nil {
		return nil, nil, errOver
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil || strconv.Itoa(p.turn) != parts[1] {
		return nil, nil, errOver
	}
	q := p.open
	answers := make([]json.RawMessage, len(q.asked))
	for i, key := range q.keys() {
		answer, ok := x.given[key]
		if !ok {
			p.wait.Stop()
			again := p.send(q)
			return nil, &again, nil
		}
		if eras.Answer(q.asked[i].Method, answer) != nil {
			return nil, nil, errKind
		}
		answers[i] = answer
	}
	p.wait.Stop()
	p.open = nil
	p.talk.resume(&x.round)
	q.answer <- answers
	return p, nil, nil
}
