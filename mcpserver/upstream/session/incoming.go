package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/internal/wire"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

// Count is something that a server sent and nobody got.
type Count uint8

const (
	Unrelated  Count = iota + Count(transport.DropCount) // a notification that belongs to no call
	WrongToken                                           // progress of nobody's call
	Refused                                              // a request that the server was not offered, or that belongs to no call
	WrongEra                                             // what the agreed version does not have
	Unknown                                              // a notification of no known method
	Untold                                               // a cancellation that could not be sent
	countEnd
)

func (c Count) String() string {
	if int(c) < transport.DropCount {
		return transport.Drop(c).String()
	}
	return [...]string{"unrelated", "wrong progress token", "refused request", "wrong era", "unknown method", "untold"}[int(c)-transport.DropCount]
}

type counts [countEnd]atomic.Int64

func (c *counts) add(which Count)              { c[which].Add(1) }
func (c *counts) dropped(which transport.Drop) { c[which].Add(1) }

// Counts returns what was dropped or refused, by name; what did not happen is left out.
func (s *Session) Counts() map[string]int64 {
	all := map[string]int64{}
	for i := range s.counts {
		if n := s.counts[i].Load(); n > 0 {
			all[Count(i).String()] = n
		}
	}
	return all
}

// handle takes what a server sends on its own. It does not block.
func (s *Session) handle(from int64, m *wire.Message) {
	if m.Request() {
		s.asked(from, m)
		return
	}
	switch m.Method {
	case "notifications/progress":
		token := gjson.GetBytes(m.Params, "progressToken")
		s.mu.Lock()
		c := s.running[token.Int()]
		s.mu.Unlock()
		if c == nil || token.Type != gjson.Number || float64(c.id) != token.Num || from != 0 && from != c.id {
			s.counts.add(WrongToken)
			return
		}
		s.tell(c, m)
	case "notifications/message", "notifications/elicitation/complete":
		s.tell(s.of(from), m)
	case transport.Gap:
		s.changes.add(s.anything())
		s.mu.Lock()
		watched := slices.Sorted(maps.Keys(s.watched))
		s.mu.Unlock()
		for _, uri := range watched {
			if s.options.Updated != nil {
				s.options.Updated(uri)
			}
		}
	case "notifications/tools/list_changed":
		s.changes.add(Changes{Tools: true})
	case "notifications/resources/list_changed":
		s.changes.add(Changes{Resources: true})
	case "notifications/prompts/list_changed":
		s.changes.add(Changes{Prompts: true})
	case "notifications/resources/updated":
		uri := gjson.GetBytes(m.Params, "uri").Str
		s.mu.Lock()
		wanted := s.watched[uri]
		s.mu.Unlock()
		if !wanted {
			s.counts.add(Unrelated)
		} else if s.options.Updated != nil {
			s.options.Updated(uri)
		}
	case "notifications/cancelled":
		s.mu.Lock()
		cancel := s.asking[m.RequestID.Key()]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
		}
	case "notifications/subscriptions/acknowledged":
	default:
		s.counts.add(Unknown)
	}
}

func (s *Session) tell(c *running, m *wire.Message) {
	if c == nil || !c.notify(m.Method, m.Params) {
		s.counts.add(Unrelated)
	}
}

// Codes of JSON-RPC for what a server asks.
const (
	codeMethodNotFound = -32601
	codeInternal       = -32603
)

// asked deals with a request of the server.
func (s *Session) asked(from int64, m *wire.Message) {
	if s.Info().Era == Modern { // it has no requests of servers, and no way to answer one
		s.counts.add(WrongEra)
		return
	}
	if m.Method == "ping" {
		s.answer(m.ID, []byte(`"result":{}`))
		return
	}
	c := s.of(from)
	var ctx context.Context
	var cancel context.CancelFunc
	let := c != nil && s.permits(c.peer, m.Method)
	if let {
		ctx, cancel, let = c.enter()
	}
	if !let {
		s.counts.add(Refused)
		s.answer(m.ID, fmt.Appendf(nil, `"error":{"code":%d,"message":"no client of a running call answers this"}`, codeMethodNotFound))
		return
	}
	key := m.ID.Key()
	s.mu.Lock()
	if s.asking[key] != nil {
		s.mu.Unlock()
		cancel()
		c.leave()
		s.counts.add(Refused)
		return // the id belongs to a request that is being answered
	}
	s.asking[key] = cancel
	s.mu.Unlock()
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		defer c.leave()
		defer cancel()
		result, err := one(c.peer.Request(ctx, Asked{Method: m.Method, Params: m.Params}))
		s.mu.Lock()
		delete(s.asking, key)
		s.mu.Unlock()
		if ctx.Err() != nil {
			return // nobody waits for the answer
		}
		s.answered(m.ID, result, err)
	}()
}

// maxReason bounds what a server is told of why it got no answer, in bytes.
const maxReason = 1 << 10

// answered sends what a peer answered.
func (s *Session) answered(id wire.ID, result json.RawMessage, err error) {
	if err == nil {
		s.send(id, append([]byte(`"result":`), result...))
		return
	}
	code, text := int64(codeInternal), err.Error()
	if theirs := (*RPCError)(nil); errors.As(err, &theirs) {
		code, text = theirs.Code, theirs.Message
	}
	quoted, _ := json.Marshal(text[:min(len(text), maxReason)])
	s.send(id, fmt.Appendf(nil, `"error":{"code":%d,"message":%s}`, code, quoted))
}

// answer sends an answer without waiting for it to be sent.
func (s *Session) answer(id wire.ID, member []byte) {
	select {
	case s.cancels <- struct{}{}:
	default:
		s.counts.add(Untold)
		return
	}
	s.work.Add(1)
	go func() {
		defer s.work.Done()
		defer func() { <-s.cancels }()
		s.send(id, member)
	}()
}

func (s *Session) send(id wire.ID, member []byte) {
	ctx, cancel := context.WithTimeout(s.life, cancelTime)
	defer cancel()
	body := append(append(append([]byte(`{"jsonrpc":"2.0","id":`), id.Raw()...), ','), member...)
	_ = s.conn.Send(ctx, &transport.Message{Body: append(body, '}'), Version: s.Info().Protocol})
}

// one returns the only result.
func one(all []json.RawMessage, err error) (json.RawMessage, error) {
	if err == nil && len(all) != 1 {
		err = errors.New("the client did not answer")
	}
	if err != nil {
		return nil, err
	}
	return all[0], nil
}
