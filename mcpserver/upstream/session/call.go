package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
)

const inputRequired = "input_required"

const (
	// maxRounds bounds how often a server may answer one request with questions, and
	// maxQuestions how many at once: a person has to answer them.
	maxRounds    = 10
	maxQuestions = 16
	// maxKey bounds the server's name for a question in bytes.
	maxKey = 256
	// maxState bounds the state in bytes that a server wants back with the answers.
	maxState = 256 << 10
	// A server without capacity asks nothing and wants the request again: up to
	// maxBusy times, after busyPause, and then twice as long each time.
	maxBusy   = 3
	busyPause = 250 * time.Millisecond
)

// Request is one request of a client.
type Request struct {
	Method string
	// Params as the client wrote them; nil for none. Of their _meta, what belongs to the
	// client's own connection (its progress token, version, identity) is not sent.
	Params json.RawMessage
	// Peer answers what the server asks during the call; nil refuses it.
	Peer Peer
}

// RPCError is an error that the server answered. Message and Data are its words.
type RPCError struct {
	Code    int64
	Message string
	Data    json.RawMessage // nil if there are none
}

func (e *RPCError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// maxErrorMessage and maxErrorData bound an error in bytes.
const (
	maxErrorMessage = 4 << 10
	maxErrorData    = 64 << 10
)

func rpcError(raw []byte) error {
	e := &RPCError{Code: gjson.GetBytes(raw, "code").Int(), Message: gjson.GetBytes(raw, "message").String()}
	if len(e.Message) > maxErrorMessage {
		e.Message = e.Message[:maxErrorMessage] + "..."
	}
	if data := gjson.GetBytes(raw, "data"); data.Exists() && len(data.Raw) <= maxErrorData {
		e.Data = json.RawMessage(data.Raw)
	}
	return e
}

// Call makes a request and returns the result as it was sent. An error that the server
// answered is an [*RPCError].
func (s *Session) Call(ctx context.Context, r *Request) (json.RawMessage, error) {
	var round []byte
	for rounds, busy := 0, 0; ; rounds++ {
		id := s.next.Add(1)
		c := s.begin(ctx, id, r.Peer)
		answer, err := s.do(ctx, r, id, round)
		s.finish(c)
		if err != nil {
			return nil, err
		}
		if answer.ResultType != inputRequired {
			return answer.Result, nil
		}
		if s.Info().Era != Modern || !asksInRounds(r.Method) {
			s.counts.add(WrongEra)
			return nil, &transport.Error{Kind: transport.Malformed, Err: fmt.Errorf("the server answers %s in %s with a question", r.Method, s.Info().Protocol)}
		}
		if rounds == maxRounds {
			return nil, &transport.Error{Kind: transport.Malformed, Err: fmt.Errorf("the server asked more than %d times", maxRounds)}
		}
		var none bool
		if round, none, err = s.questions(ctx, r.Peer, answer.Result); err != nil {
			return nil, err
		}
		if none {
			if busy++; busy > maxBusy {
				return nil, &transport.Error{Kind: transport.Status, Err: errors.New("the server has no capacity")}
			}
			select {
			case <-time.After(busyPause << (busy - 1)):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
}

func asksInRounds(method string) bool {
	return method == "tools/call" || method == "prompts/get" || method == "resources/read"
}

// questions puts the questions in a result to the peer. It returns the members that the
// repeated request has more than the first one, and whether there was no question.
func (s *Session) questions(ctx context.Context, peer Peer, result []byte) (round []byte, none bool, err error) {
	var all []Asked
	seen := map[string]bool{}
	gjson.GetBytes(result, "inputRequests").ForEach(func(key, value gjson.Result) bool {
		q := Asked{Key: key.Str, Method: value.Get("method").Str, Params: json.RawMessage(value.Get("params").Raw)}
		switch {
		case seen[q.Key]:
			err = errors.New("the server asks two questions of one name")
		case len(q.Key) > maxKey:
			err = fmt.Errorf("the name of a question has more than %d bytes", maxKey)
		case len(all) == maxQuestions:
			err = fmt.Errorf("the server asks more than %d questions at once", maxQuestions)
		case !s.permits(peer, q.Method):
			s.counts.add(Refused)
			err = fmt.Errorf("the server asks for %.100q, which it was not offered", q.Method)
		}
		seen[q.Key] = true
		all = append(all, q)
		return err == nil
	})
	state := gjson.GetBytes(result, "requestState")
	if err == nil && len(state.Raw) > maxState {
		err = fmt.Errorf("the state the server wants back has more than %d KiB", maxState>>10)
	}
	if err != nil {
		return nil, false, &transport.Error{Kind: transport.Malformed, Err: err}
	}
	var answers []json.RawMessage
	if len(all) > 0 {
		if answers, err = peer.Request(ctx, all...); err != nil {
			return nil, false, fmt.Errorf("the client did not answer %s: %w", all[0].Method, err)
		}
		if len(answers) != len(all) {
			return nil, false, errors.New("the client did not answer everything")
		}
	}
	round = append(round, `,"inputResponses":{`...)
	for i, q := range all {
		if i > 0 {
			round = append(round, ',')
		}
		key, err := json.Marshal(q.Key)
		if err != nil {
			return nil, false, err
		}
		round = append(append(append(round, key...), ':'), answers[i]...)
	}
	round = append(round, '}')
	if state.Exists() {
		round = append(append(round, `,"requestState":`...), state.Raw...)
	}
	return round, len(all) == 0, nil
}

// permits reports whether a server may put requests of a method to a peer.
func (s *Session) permits(peer Peer, method string) bool {
	return peer != nil && s.options.Offer.has(method) && peer.Can(method)
}
