package upstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/once"
	"github.com/glovebox-run/glovebox/risk/egress"
)

// What is carried between gateways is already governed: the gateway that the client is
// connected to has judged the call, asked for it and will record it. Texts are byte
// strings, so that they arrive as they were.
type (
	carriedCall struct {
		Method string   `json:"method"`
		Params []byte   `json:"params"`
		Can    []string `json:"can,omitempty"` // what the client answers
		Peer   bool     `json:"peer"`
	}
	carriedResult struct {
		Result  []byte        `json:"result,omitempty"`
		Surface *Surface      `json:"surface,omitempty"`
		RPC     *RPCError     `json:"rpc,omitempty"`
		Error   *carriedError `json:"error,omitempty"`
	}
	carriedError struct {
		Kind       Kind      `json:"kind"`
		MayHaveRun bool      `json:"may_have_run,omitempty"`
		RetryAt    time.Time `json:"retry_at,omitzero"`
		Text       string    `json:"text"`
	}
	carriedAsked struct {
		Key    string `json:"key"`
		Method string `json:"method"`
		Params []byte `json:"params"`
	}
)

// clientMethods are what a server may ask of a client.
var clientMethods = []string{"elicitation/create", "sampling/createMessage", "roots/list"}

const (
	opCall  = "call"
	opList  = "list"
	opCheck = "check"
)

func (s *shared) call(ctx context.Context, r Request) (result json.RawMessage, err error) {
	ctx, cancel := s.u.within(ctx)
	defer cancel()
	asked := carriedCall{Method: r.Method, Params: r.Params, Peer: r.Peer != nil}
	if r.Peer != nil {
		for _, m := range clientMethods {
			if r.Peer.Can(m) {
				asked.Can = append(asked.Can, m)
			}
		}
	}
	err = s.route(ctx, func() (err error) {
		result, err = s.u.callHere(ctx, r)
		return err
	}, func(owner once.Owner, moved <-chan struct{}) error {
		got, err := s.carry(ctx, owner, moved, opCall, asked, r.Peer, onlyReads(r.Method))
		result = got.Result
		return err
	})
	return result, err
}

func (s *shared) list(ctx context.Context) (surface *Surface, err error) {
	err = s.route(ctx, func() (err error) {
		surface, err = s.u.listHere(ctx)
		return err
	}, func(owner once.Owner, moved <-chan struct{}) error {
		got, err := s.carry(ctx, owner, moved, opList, carriedCall{}, nil, true)
		if surface = got.Surface; err == nil && surface == nil {
			err = &Error{Upstream: s.u.config.Name, Kind: Protocol, Err: errors.New("the gateway where it runs does not say what it lists; are the gateways of one version?")}
		}
		return err
	})
	return surface, err
}

func (s *shared) check(ctx context.Context) error {
	return s.route(ctx, func() error { return s.u.checkHere(ctx) }, func(owner once.Owner, moved <-chan struct{}) error {
		_, err := s.carry(ctx, owner, moved, opCheck, carriedCall{}, nil, true)
		return err
	})
}

// carry has the owner make a request.
func (s *shared) carry(ctx context.Context, owner once.Owner, moved <-chan struct{}, op string, asked carriedCall, peer Peer, reads bool) (got carriedResult, err error) {
	body, err := json.Marshal(asked)
	if err != nil {
		return got, err
	}
	var asker once.Asker
	if peer != nil {
		asker = client{peer}
	}
	text, err := s.u.options.Cluster.Carry(ctx, owner, moved, op, body, asker)
	name := s.u.config.Name
	switch {
	case errors.Is(err, once.ErrMoved), errors.Is(err, context.Canceled):
		return got, err
	case errors.Is(err, context.DeadlineExceeded):
		return got, &Error{Upstream: name, Kind: Timeout, MayHaveRun: !reads, Err: err}
	case err != nil:
		return got, &Error{Upstream: name, Kind: Broken, MayHaveRun: !reads, Err: fmt.Errorf("it runs at another server of the cluster: %w", err)}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return got, &Error{Upstream: name, Kind: Protocol, MayHaveRun: !reads, Err: err}
	}
	switch e := got.Error; {
	case got.RPC != nil:
		return got, got.RPC
	case e != nil:
		return got, &Error{Upstream: name, Kind: e.Kind, MayHaveRun: e.MayHaveRun, RetryAt: e.RetryAt, Err: fmt.Errorf("it runs at %s: %s", owner.Host, e.Text)}
	}
	return got, nil
}

// client answers what the owner passes on of the server.
type client struct{ peer Peer }

func (c client) Tell(message json.RawMessage) {
	var n carriedAsked
	if json.Unmarshal(message, &n) == nil {
		c.peer.Notify(n.Method, n.Params)
	}
}

func (c client) Ask(ctx context.Context, question json.RawMessage) (json.RawMessage, error) {
	var all []carriedAsked
	if err := json.Unmarshal(question, &all); err != nil {
		return nil, err
	}
	asked := make([]Asked, len(all))
	for i, a := range all {
		asked[i] = Asked{Key: a.Key, Method: a.Method, Params: a.Params}
	}
	given, err := c.peer.Request(ctx, asked...)
	if err != nil {
		return nil, err
	}
	answers := make([][]byte, len(given))
	for i, g := range given {
		answers[i] = g
	}
	return json.Marshal(answers)
}

// handle answers what another gateway carries here.
func (s *shared) handle(ctx context.Context, op string, number uint64, body []byte, caller *once.Caller) (any, error) {
	leave, ok := s.enter(number)
	if !ok {
		return nil, once.ErrMoved
	}
	defer leave()
	var c carriedCall
	if err := json.Unmarshal(body, &c); err != nil {
		return nil, err
	}
	var got carriedResult
	var err error
	switch op {
	case opCall:
		r := Request{Method: c.Method, Params: c.Params}
		if c.Peer {
			r.Peer = carrier{caller, c.Can, s.u.Secrets}
		}
		var result json.RawMessage
		result, err = s.u.callHere(ctx, r)
		got.Result = s.u.Secrets().JSON(result)
	case opList:
		got.Surface, err = s.u.listHere(ctx)
	case opCheck:
		err = s.u.checkHere(ctx)
	default:
		return nil, fmt.Errorf("unknown verb %q", op)
	}
	if s.lost(err) {
		return nil, once.ErrMoved
	}
	got.fail(err, s.u.Secrets())
	return got, nil
}

// fail notes an error, without the secrets of the connection.
func (r *carriedResult) fail(err error, secrets *egress.Masker) {
	ours := (*Error)(nil)
	switch {
	case err == nil:
	case errors.As(err, &r.RPC):
		r.RPC = &RPCError{Code: r.RPC.Code, Message: secrets.String(r.RPC.Message), Data: secrets.JSON(r.RPC.Data)}
	case errors.As(err, &ours):
		r.Error = &carriedError{Kind: ours.Kind, MayHaveRun: ours.MayHaveRun, RetryAt: ours.RetryAt}
		if ours.Err != nil {
			r.Error.Text = secrets.String(ours.Err.Error())
		}
	default:
		r.Error = &carriedError{Kind: Broken, MayHaveRun: true, Text: secrets.String(err.Error())}
	}
}

// carrier is the client of a call that another gateway carried here.
type carrier struct {
	caller  *once.Caller
	can     []string
	secrets func() *egress.Masker
}

func (c carrier) Can(method string) bool { return slices.Contains(c.can, method) }

func (c carrier) Notify(method string, params json.RawMessage) {
	if text, err := json.Marshal(carriedAsked{Method: method, Params: c.secrets().JSON(params)}); err == nil {
		c.caller.Tell(text)
	}
}

func (c carrier) Request(ctx context.Context, asked ...Asked) ([]json.RawMessage, error) {
	all := make([]carriedAsked, len(asked))
	for i, a := range asked {
		all[i] = carriedAsked{a.Key, a.Method, c.secrets().JSON(a.Params)}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	given, err := c.caller.Ask(ctx, text)
	if err != nil {
		return nil, err
	}
	var answers [][]byte
	if err := json.Unmarshal(given, &answers); err != nil {
		return nil, err
	}
	results := make([]json.RawMessage, len(answers))
	for i, a := range answers {
		results[i] = a
	}
	return results, nil
}
