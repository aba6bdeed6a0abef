package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tidwall/gjson"
)

// maxAnswer bounds one answer of a server, in bytes.
const maxAnswer = 64 << 20

// clients are all agents of a run.
type clients struct {
	plan  *Plan
	http  *http.Client
	turn  atomic.Uint64 // of addresses
	ids   atomic.Uint64 // of messages
	seats []seat        // open sessions
	can   string        // what clients say that they can
}

// seat is one open session.
type seat struct{ session, token string }

func newClients(p *Plan) *clients {
	transport := &http.Transport{MaxIdleConns: 0, MaxIdleConnsPerHost: p.InFlight, DisableCompression: true, IdleConnTimeout: time.Minute}
	c := &clients{plan: p, can: "{}", http: &http.Client{
		Transport: transport, Timeout: p.Timeout,
		// The token is for the servers that were named.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	for _, k := range p.Kinds {
		if k.Asks {
			c.can = `{"elicitation":{}}`
		}
	}
	return c
}

func (c *clients) close() { c.http.CloseIdleConnections() }

// token is that of the nth agent.
func (c *clients) token(n int) string {
	if len(c.plan.Agents) == 0 {
		return c.plan.Token
	}
	return c.plan.Agents[uint(n)%uint(len(c.plan.Agents))]
}

// failure is a call that did not get its answer; code is what it is counted under.
type failure struct {
	code  string
	cause error
}

func (f *failure) Error() string { return fmt.Sprintf("%s: %v", f.code, f.cause) }

// post sends one message to the next server.
func (c *clients) post(ctx context.Context, token, body string, headers ...string) (*http.Response, error) {
	to := c.plan.URLs[c.turn.Add(1)%uint64(len(c.plan.URLs))]
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := c.http.Do(r)
	var late interface{ Timeout() bool }
	switch {
	case errors.As(err, &late) && late.Timeout():
		return nil, &failure{"timeout", err}
	case err != nil:
		return nil, &failure{"connection", err}
	case response.StatusCode >= 300:
		text, _ := io.ReadAll(io.LimitReader(response.Body, 4<<10))
		response.Body.Close()
		return nil, &failure{fmt.Sprint("http ", response.StatusCode), fmt.Errorf("%s", bytes.TrimSpace(text))}
	}
	return response, nil
}

// answer reads until the answer of a request comes, or asked wants the rest of the stream no
// longer. Other messages on the way go to asked, which may be nil.
func answer(response *http.Response, asked func(gjson.Result) error) (gjson.Result, error) {
	defer response.Body.Close()
	body := io.LimitReader(response.Body, maxAnswer)
	if !strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		text, err := io.ReadAll(body)
		if err != nil {
			return gjson.Result{}, &failure{"connection", err}
		}
		return verdict(gjson.ParseBytes(text))
	}
	lines := newLines(body)
	for lines.Scan() {
		data, found := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !found {
			continue
		}
		message := gjson.ParseBytes(bytes.TrimSpace(data))
		switch {
		case message.Get("method").Exists():
			if asked != nil && message.Get("id").Exists() {
				if err := asked(message); err != nil {
					return message, err
				}
			}
		case message.Get("id").Exists():
			// What is left is read, so that the connection serves the next call.
			message, err := verdict(gjson.Parse(message.Raw))
			_, _ = io.Copy(io.Discard, body)
			return message, err
		}
	}
	return gjson.Result{}, &failure{"connection", errors.Join(lines.Err(), errors.New("the stream ended before the answer"))}
}

// verdict tells a result from the ways in which a call fails.
func verdict(message gjson.Result) (gjson.Result, error) {
	switch {
	case message.Get("error").Exists():
		return message, &failure{fmt.Sprint("rpc ", message.Get("error.code").Int()), errors.New(message.Get("error.message").Str)}
	case message.Get("result.isError").Bool():
		return message, &failure{"tool error", errors.New(message.Get("result.content.0.text").Str)}
	case !message.Get("result").Exists():
		return message, &failure{"no result", fmt.Errorf("%.200s", message.Raw)}
	}
	return message, nil
}

// open begins a session.
func (c *clients) open(ctx context.Context, n int) (seat, error) {
	s := seat{token: c.token(n)}
	response, err := c.post(ctx, s.token, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+Sessions+`","capabilities":`+c.can+`,"clientInfo":{"name":"glovebox bench","version":"1"}}}`)
	if err != nil {
		return s, err
	}
	s.session = response.Header.Get("Mcp-Session-Id")
	if _, err := answer(response, nil); err != nil {
		return s, err
	}
	if s.session == "" {
		return s, &failure{"no session", errors.New("the server began none: it may serve the era " + Stateless + " alone")}
	}
	response, err = c.post(ctx, s.token, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, s.headers()...)
	if err == nil {
		response.Body.Close()
	}
	return s, err
}

func (s seat) headers() []string {
	return []string{"Mcp-Session-Id", s.session, "Mcp-Protocol-Version", Sessions}
}

// end ends a session; that it did not is found out by the server after a while.
func (c *clients) end(ctx context.Context, s seat) {
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, c.plan.URLs[0], nil)
	if err != nil {
		return
	}
	for i, h := 0, append(s.headers(), "Authorization", "Bearer "+s.token); i < len(h); i += 2 {
		r.Header.Set(h[i], h[i+1])
	}
	if response, err := c.http.Do(r); err == nil {
		response.Body.Close()
	}
}

// call makes one call and returns when its last answer is there.
func (c *clients) call(ctx context.Context, a arrival) error {
	k := &c.plan.Kinds[a.kind]
	if a.era == Sessions {
		return c.inSession(ctx, k, a.n, c.seats[a.n%len(c.seats)])
	}
	asked, err := c.stateless(ctx, k, a.n, "")
	if err != nil || !k.Asks {
		return err
	}
	if asked.Get("result.resultType").Str != "input_required" {
		return &failure{"not asked", fmt.Errorf("%s ran without a question", k.Tool)}
	}
	state, err := json.Marshal(asked.Get("result.requestState").Str)
	if err != nil {
		return err
	}
	last, err := c.stateless(ctx, k, a.n, `,"requestState":`+string(state)+`,"inputResponses":{"approval":{"action":"accept","content":{}}}`)
	if err == nil && last.Get("result.resultType").Str == "input_required" {
		err = &failure{"asked again", fmt.Errorf("%s asked after the answer", k.Tool)}
	}
	return err
}

// request is a call as text; more are further members of its parameters.
func (c *clients) request(k *Kind, n int, more string) (body, method string) {
	method, params := "tools/list", ""
	if k.Tool != "" {
		name, _ := json.Marshal(k.Tool) // a string
		method, params = "tools/call", `"name":`+string(name)+`,"arguments":`+string(k.arguments(n))
		if more != "" {
			params += ","
		}
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`, c.ids.Add(1), method, params, more), method
}

func (c *clients) stateless(ctx context.Context, k *Kind, n int, more string) (gjson.Result, error) {
	body, method := c.request(k, n, `"_meta":{"io.modelcontextprotocol/protocolVersion":"`+Stateless+`","io.modelcontextprotocol/clientCapabilities":`+c.can+`,"io.modelcontextprotocol/clientInfo":{"name":"glovebox bench","version":"1"}}`+more)
	headers := []string{"Mcp-Protocol-Version", Stateless, "Mcp-Method", method}
	if k.Tool != "" {
		headers = append(headers, "Mcp-Name", k.Tool)
	}
	response, err := c.post(ctx, c.token(n), body, headers...)
	if err != nil {
		return gjson.Result{}, err
	}
	return answer(response, nil)
}

func (c *clients) inSession(ctx context.Context, k *Kind, n int, s seat) error {
	body, _ := c.request(k, n, "")
	response, err := c.post(ctx, s.token, body, s.headers()...)
	if err != nil {
		return err
	}
	asked := false
	_, err = answer(response, func(question gjson.Result) error {
		asked = true
		reply, err := c.post(ctx, s.token, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"accept","content":{}}}`, question.Get("id").Raw), s.headers()...)
		if err == nil {
			reply.Body.Close()
		}
		return err
	})
	if err == nil && k.Asks && !asked {
		err = &failure{"not asked", fmt.Errorf("%s ran without a question", k.Tool)}
	}
	return err
}
