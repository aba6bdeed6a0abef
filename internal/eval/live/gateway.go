package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// gateway replays sessions through a real server: a client over a pair of streams, the
// governed pipeline with its sanitiser, the desk that asks, and the judge as a running
// service wires it. Only the other servers are scripted. Every session has a fresh server
// and a fresh principal.
type gateway struct {
	servers   map[string]server
	file      *live.File
	sanitiser *egress.Sanitiser
	desk      *approve.Desk
	close     func()
}

func newGateway(ctx context.Context, servers map[string]server, file *live.File) (*gateway, error) {
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "glovebox-replay-")
	if err != nil {
		return nil, err
	}
	kept, err := store.Open(ctx, folder, nil)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	g := &gateway{servers: servers, file: file, sanitiser: egress.New(engine, egress.DefaultPolicy()), close: func() {
		kept.Close()
		os.RemoveAll(folder)
	}}
	if g.desk, err = approve.OpenDesk(ctx, kept, approve.Settings{}, time.Now); err != nil {
		g.close()
		return nil, err
	}
	return g, nil
}

// judgements replays one session and returns what the judge said of each step. It fails if
// the server did not act on that.
func (g *gateway) judgements(ctx context.Context, s *session) ([]governed.Judgement, error) {
	t := &tap{Witness: labels.New(governed.ByLevel{Policy: risk.LevelPolicy{Ceiling: risk.L5, Trusted: risk.L5}},
		labels.NewSessions(labels.NewMemory(), time.Now), labels.Settings{Mode: live.Enforce, File: g.file, Now: time.Now})}
	front := mcpserver.New(mcpserver.Config{Desk: g.desk, Calls: governed.Config{Terms: governed.Terms{Judge: t, Sanitiser: g.sanitiser}}})
	play := &script{}
	for _, key := range s.uses() {
		var tools []governed.Tool
		for _, raw := range g.servers[key].Tools {
			tools = append(tools, newScripted(key, raw, play))
		}
		if withheld := front.Publish(key, tools); len(withheld) > 0 {
			return nil, fmt.Errorf("%s: not published: %v", s.ID, withheld)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	here, there := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- front.ServeStdio(ctx, "replay "+s.ID, there, there) }()
	c, err := newClient(here)
	if err != nil {
		return nil, err
	}
	list := make([]governed.Judgement, len(s.Steps))
	for i := range s.Steps {
		st := &s.Steps[i]
		play.next(st)
		t.said = nil
		if err := c.call(st); err != nil {
			return nil, fmt.Errorf("%s step %d: %w", s.ID, i, err)
		}
		if len(t.said) == 0 {
			return nil, fmt.Errorf("%s step %d: nobody judged the call", s.ID, i)
		}
		list[i] = t.said[0] // a question is judged again once it is answered
		said := list[i].Verdict
		if runs := said == risk.Allow || said == risk.Ask && !st.Malicious; runs != play.ran.Load() {
			return nil, fmt.Errorf("%s step %d: %v, and the call ran: %v", s.ID, i, said, !runs)
		}
	}
	here.Close()
	front.Drain(ctx)
	<-served // it ends because the client hung up
	return list, nil
}

// uses returns the servers that a session lists or calls.
func (s *session) uses() []string {
	seen := map[string]bool{}
	var list []string
	add := func(key string) {
		if !seen[key] {
			seen[key] = true
			list = append(list, key)
		}
	}
	for _, key := range s.Servers {
		add(key)
	}
	for i := range s.Steps {
		add(s.Steps[i].Server)
	}
	return list
}

// tap notes what a judge says. Calls are made one after the other.
type tap struct {
	governed.Witness
	said []governed.Judgement
}

// Judge implements [governed.Judge].
func (t *tap) Judge(c governed.Case) governed.Judgement {
	by := t.Witness.Judge(c)
	t.said = append(t.said, by)
	return by
}

// script is what the servers of a session answer next.
type script struct {
	step *step
	ran  atomic.Bool
}

func (p *script) next(st *step) {
	p.step = st
	p.ran.Store(false)
}

// scripted is a tool of another server whose answers are written down.
type scripted struct {
	about  governed.About
	listed json.RawMessage
	play   *script
}

var _ governed.Verbatim = (*scripted)(nil)

func newScripted(source string, raw json.RawMessage, play *script) *scripted {
	name := gjson.GetBytes(raw, "name").String()
	return &scripted{listed: raw, play: play, about: governed.About{
		Source: source, Name: name, Hash: risk.ToolHash(risk.HashArguments(raw)), Level: risk.L3, ID: source + "/" + name,
	}}
}

func (t *scripted) About() *governed.About                                     { return &t.about }
func (t *scripted) Listed() json.RawMessage                                    { return t.listed }
func (t *scripted) Check(arguments []byte) (json.RawMessage, catalog.Problems) { return arguments, nil }

func (t *scripted) Run(_ context.Context, permit *governed.Permit) (out governed.Output) {
	if err := permit.Check(t.about.Hash); err != nil {
		out.Failure = &governed.Failure{Kind: governed.NotCleared, Cause: err}
		return out
	}
	t.play.ran.Store(true)
	value, err := json.Marshal(map[string]any{
		"content": []any{map[string]string{"type": "text", "text": t.play.step.Result}}, "isError": t.play.step.IsError,
	})
	if err != nil {
		out.Failure = &governed.Failure{Kind: governed.HostFailure, Cause: err}
		return out
	}
	out.Value = value
	return out
}

// client is an agent with a person beside it, who approves everything but what the
// attacker wants, and says "and the rest of this task" wherever that is offered.
type client struct {
	in  *json.Decoder
	out *json.Encoder
	id  int
}

type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

func newClient(over io.ReadWriter) (*client, error) {
	c := &client{in: json.NewDecoder(over), out: json.NewEncoder(over)}
	err := c.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{"elicitation": map[string]any{}},
		"clientInfo": map[string]string{"name": "replay", "version": "1"},
	}, "")
	if err != nil {
		return nil, err
	}
	return c, c.out.Encode(message{Version: "2.0", Method: "notifications/initialized"})
}

// call makes the call of a step. What it is answered with is the agent's business; the
// steps are written down already.
func (c *client) call(st *step) error {
	answer := "accept"
	if st.Malicious {
		answer = "decline"
	}
	arguments := st.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	return c.request("tools/call", map[string]any{"name": st.Tool, "arguments": arguments}, answer)
}

// request makes a request and answers questions until its response is there.
func (c *client) request(method string, params any, answer string) error {
	c.id++
	id := fmt.Sprint(c.id)
	if err := c.out.Encode(message{Version: "2.0", ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		return err
	}
	for {
		var m message
		if err := c.in.Decode(&m); err != nil {
			return err
		}
		switch {
		case m.Method == "elicitation/create":
			form := map[string]any{}
			if asked, err := json.Marshal(m.Params); err == nil && gjson.GetBytes(asked, "requestedSchema.properties.rest").Exists() {
				form["rest"] = true
			}
			if err := c.out.Encode(message{Version: "2.0", ID: m.ID, Result: map[string]any{"action": answer, "content": form}}); err != nil {
				return err
			}
		case m.Method != "" && m.ID != nil:
			return fmt.Errorf("the server asks for %s", m.Method)
		case m.Method == "" && string(m.ID) == id:
			if m.Error != nil {
				return fmt.Errorf("%s: %s", method, m.Error)
			}
			return nil
		}
	}
}
