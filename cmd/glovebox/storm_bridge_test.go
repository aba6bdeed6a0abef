package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"

	"github.com/tidwall/gjson"
)

// bridge is a client over streamable HTTP that takes the messages to send from its
// standard input and prints the answers: storm-bridge URL. Messages without a version in
// their _meta are of a session. It is written on net/http alone, so that nothing of the
// gateway is judged by itself.
type bridge struct {
	url string

	mu      sync.Mutex
	begin   []string // the lines of the handshake
	session string
}

func stormBridge() {
	b := &bridge{url: os.Args[1]}
	var busy sync.WaitGroup
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		line := lines.Text()
		switch gjson.Get(line, "method").Str {
		case "initialize", "notifications/initialized":
			b.begin = append(b.begin, line)
		default:
			busy.Go(func() { b.answer(line) })
		}
	}
	busy.Wait()
}

// Words that the ledger of the storm knows.
const (
	notSent = "not sent: %v"
	unknown = "whether it ran is not known: %v"
)

// answer sends a request and prints its answer, or an error that says whether it may have
// run.
func (b *bridge) answer(line string) {
	id := gjson.Get(line, "id").Raw
	answered, err := b.send(line, id)
	if answered {
		return
	}
	text := fmt.Sprintf(unknown, err)
	var refused *refusedError
	if dial := new(net.OpError); errors.As(err, &dial) && dial.Op == "dial" || errors.As(err, &refused) {
		text = fmt.Sprintf(notSent, err)
	}
	message, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string is always JSON
	}
	fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":-32000,\"message\":%s}}\n", id, message)
}

// refusedError is an answer before anything ran.
type refusedError struct{ status string }

func (e *refusedError) Error() string { return e.status }

func (b *bridge) send(line, id string) (answered bool, err error) {
	session := ""
	if !gjson.Get(line, "params._meta").Exists() {
		if session, err = b.joined(); err != nil {
			return false, err
		}
	}
	response, err := b.post(line, session)
	if err != nil {
		return false, err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNotFound {
		b.mu.Lock()
		if b.session == session {
			b.session = ""
		}
		b.mu.Unlock()
	}
	if response.StatusCode != http.StatusOK {
		return false, &refusedError{response.Status}
	}
	text, err := io.ReadAll(response.Body) // what came before the end counts
	for part := range bytes.Lines(text) {
		part = bytes.TrimSpace(bytes.TrimPrefix(part, []byte("data:")))
		if message := gjson.ParseBytes(part); gjson.ValidBytes(part) && message.Get("id").Raw == id && !message.Get("method").Exists() {
			fmt.Printf("%s\n", part)
			return true, nil
		}
	}
	if err == nil {
		err = errors.New("the answer ended")
	}
	return false, err
}

// joined returns a session, and begins one if there is none.
func (b *bridge) joined() (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.session != "" {
		return b.session, nil
	}
	var session string
	for _, line := range b.begin {
		response, err := b.post(line, session)
		if err != nil {
			return "", &refusedError{err.Error()}
		}
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode > http.StatusAccepted {
			return "", &refusedError{fmt.Sprint(response.Status, err)}
		}
		session = response.Header.Get("Mcp-Session-Id") + session
	}
	b.session = session
	return session, nil
}

func (b *bridge) post(line, session string) (*http.Response, error) {
	r, err := http.NewRequest("POST", b.url, strings.NewReader(line))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Authorization", "Bearer t")
	if version := gjson.Get(line, `params._meta.io\.modelcontextprotocol/protocolVersion`).Str; version != "" {
		r.Header.Set("Mcp-Protocol-Version", version)
		r.Header.Set("Mcp-Method", gjson.Get(line, "method").Str)
		r.Header.Set("Mcp-Name", gjson.Get(line, "params.name").Str)
	} else if session != "" {
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
		r.Header.Set("Mcp-Session-Id", session)
	}
	return http.DefaultClient.Do(r)
}
