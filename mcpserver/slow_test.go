package mcpserver_test

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

const (
	// short is the server's patience with what a test does slowly.
	short = 200 * time.Millisecond
	// fair is its patience with what a test does slowly and, elsewhere, as fast as a busy
	// machine can.
	fair = 2 * time.Second
)

// socket is a connection that a test writes by hand.
type socket struct {
	*net.TCPConn
	t testing.TB
}

func dial(t testing.TB, addr string) socket {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		panic(err) // also where the test cannot be ended
	}
	t.Cleanup(func() { conn.Close() })
	return socket{conn.(*net.TCPConn), t}
}

// request returns a complete request, with the token.
func request(method, path, body string, headers ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n", method, path, secret)
	for i := 0; i < len(headers); i += 2 {
		fmt.Fprintf(&b, "%s: %s\r\n", headers[i], headers[i+1])
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return b.String()
}

func (s socket) send(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s, text); err != nil {
		s.t.Error(err)
	}
}

// drip sends text byte by byte until the server gives up, and returns its
// response.
func (s socket) drip(text string) string {
	s.t.Helper()
	said := make(chan string)
	go func() {
		all, _ := io.ReadAll(s)
		said <- string(all)
	}()
	pause := time.NewTicker(5 * time.Millisecond)
	defer pause.Stop()
	late := time.After(enough)
	for i := 0; ; i++ {
		select {
		case text := <-said:
			return text
		case <-late:
			s.t.Error("it is still listened to")
			return ""
		case <-pause.C:
			if i < len(text) {
				io.WriteString(s, text[i:i+1]) // fails when the other end is gone, which said tells
			}
		}
	}
}

// ended waits until the other end has closed the connection.
func (s socket) ended() {
	s.t.Helper()
	s.SetReadDeadline(time.Now().Add(enough))
	if _, err := io.Copy(io.Discard, s); errors.Is(err, os.ErrDeadlineExceeded) {
		s.t.Error("the connection is still open")
	}
}

// smallBuffers leaves little room between the server and a client that does not
// read.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return conn, conn.(*net.TCPConn).SetWriteBuffer(4 << 10)
}

// slowly serves a fixture to badly behaved clients. Where its patience is not said it has
// enough. settled checks what they still hold, while they and the server are still running.
func slowly(t *testing.T, p mcpserver.Patience, limits admission.Limits, specs ...string) (f *fixture, addr string, settled func()) {
	t.Helper()
	f = newFixture(t, mcpserver.Config{Limits: limits}, specs...)
	token, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	p = mcpserver.Patience{Headers: cmp.Or(p.Headers, enough), Body: cmp.Or(p.Body, enough), Piece: cmp.Or(p.Piece, enough), Idle: cmp.Or(p.Idle, enough)}
	before := left(t, f)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr, stop := f.listenOn(t, smallBuffers{listener}, mcpserver.HTTP{Token: token, Patience: p, SSE: true})
	t.Cleanup(stop)
	return f, addr, func() {
		var after counts
		for start := time.Now(); time.Since(start) < enough; time.Sleep(20 * time.Millisecond) {
			if after = left(t, f); after.goroutines <= before.goroutines+4 {
				return
			}
		}
		t.Errorf("%+v before, %+v after", before, after)
	}
}

// deaf opens a connection of a client that does not read.
func deaf(t testing.TB, addr string) socket {
	t.Helper()
	s := dial(t, addr)
	if err := s.SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSlowHeaders(t *testing.T) {
	_, addr, settled := slowly(t, mcpserver.Patience{Headers: short}, admission.Limits{})
	defer settled()
	whole := request("POST", "/mcp", initialize)
	dial(t, addr).drip(whole)
	dial(t, addr).ended() // nothing at all
	half := dial(t, addr)
	half.send(whole[:40])
	half.ended()
	dial(t, addr).drip("POST /mcp HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", 1000))
}

func TestSlowBody(t *testing.T) {
	_, addr, settled := slowly(t, mcpserver.Patience{Body: short}, admission.Limits{})
	defer settled()
	for _, body := range []string{
		request("POST", "/mcp", initialize),
		strings.Replace(request("POST", "/mcp", ""), "Content-Length: 0", "Transfer-Encoding: chunked", 1) + strings.Repeat("1\r\nx\r\n", 1000),
	} {
		headers, rest, _ := strings.Cut(body, "\r\n\r\n")
		s := dial(t, addr)
		s.send(headers + "\r\n\r\n")
		if said := s.drip(rest); !strings.HasPrefix(said, "HTTP/1.1 400 ") {
			t.Errorf("%q", said)
		}
	}
	// Without a token the server does not wait for the body.
	s := dial(t, addr)
	s.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n")
	if said := s.drip(strings.Repeat("x", 1000)); !strings.HasPrefix(said, "HTTP/1.1 401 ") {
		t.Errorf("%q", said)
	}
}

// TestClientThatDoesNotRead: it holds neither its call's slot nor a goroutine.
func TestClientThatDoesNotRead(t *testing.T) {
	large := tool("large", "return 'x'.repeat(1 << 19);", "")
	f, addr, settled := slowly(t, mcpserver.Patience{Piece: fair}, admission.Limits{Parallel: 1}, large, add)
	defer settled()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large",` + meta + `}}`
	const many = 5 // more than settled overlooks
	for range many {
		deaf(t, addr).send(request("POST", "/mcp", body, "Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "large"))
	}
	for start := time.Now(); len(f.records(t)) < many; time.Sleep(5 * time.Millisecond) {
		if time.Since(start) > enough {
			t.Fatal("the calls were not run")
		}
	}
	if result := call(t, f.overHTTP(t, "http://"+addr, stateless, nil), "add", `{"a":1,"b":1}`); result.IsError {
		t.Error(textOf(t, result))
	}
}

// TestAnswersThatNobodyTakes: requests without end, each with a small answer or
// one without a body.
func TestAnswersThatNobodyTakes(t *testing.T) {
	_, addr, settled := slowly(t, mcpserver.Patience{Piece: short}, admission.Limits{Rate: -1}, add)
	defer settled()
	for _, one := range []string{request("GET", "/healthz", ""), request("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, "Mcp-Session-Id", "x"), request("HEAD", "/healthz", "")} {
		s := deaf(t, addr)
		s.SetWriteDeadline(time.Now().Add(enough))
		flood := strings.Repeat(one, 100)
		for err := error(nil); err == nil; {
			if _, err = io.WriteString(s, flood); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("still served: %.30q", one)
			}
		}
	}
}

// TestStreamThatNobodyReads: it ends when a message no longer fits.
func TestStreamThatNobodyReads(t *testing.T) {
	_, addr, settled := slowly(t, mcpserver.Patience{Piece: fair}, admission.Limits{Sessions: 1}, add)
	defer settled()
	s := deaf(t, addr)
	s.send(request("GET", "/sse", ""))
	lines := bufio.NewScanner(s)
	endpoint := ""
	for endpoint == "" && lines.Scan() {
		endpoint, _ = strings.CutPrefix(lines.Text(), "data: ")
		if !strings.HasPrefix(endpoint, "/") {
			endpoint = ""
		}
	}
	ask(t, "POST", "http://"+addr+endpoint, initialize).Body.Close()
	for start := time.Now(); ; {
		// An answer that names the tool, of whatever size we like.
		r := ask(t, "POST", "http://"+addr+endpoint, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+strings.Repeat("x", 60_000)+`"}}`)
		r.Body.Close()
		if r.StatusCode == http.StatusNotFound {
			break // the session is gone
		}
		if time.Since(start) > enough {
			t.Fatal("the stream is still open")
		}
	}
	for start := time.Now(); ; {
		r := ask(t, "GET", "http://"+addr+"/sse", "")
		r.Body.Close()
		if r.StatusCode == 200 {
			return
		}
		if time.Since(start) > enough {
			t.Fatal("its place is not free")
		}
	}
}

func TestHostileConnections(t *testing.T) {
	_, addr, settled := slowly(t, mcpserver.Patience{Headers: fair, Idle: fair}, admission.Limits{}, add)
	defer settled()
	var wg sync.WaitGroup
	for _, row := range []struct{ name, text, want string }{
		{"one long header", "GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n", "HTTP/1.1 431 "},
		{"many headers", "GET /mcp HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X: y\r\n", 100_000) + "\r\n", "HTTP/1.1 431 "},
		{"a long path", "GET /" + strings.Repeat("x", 1<<20) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 431 "},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "HTTP/1.1 400 "},
		{"two hosts", "GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "HTTP/1.1 400 "},
		{"no host", "GET /mcp HTTP/1.1\r\n\r\n", "HTTP/1.1 400 "},
		{"two lengths", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", "HTTP/1.1 400 "},
		{"a length and chunks", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + secret + "\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nG\r\nx", "HTTP/1.1 400 "},
		{"a negative length", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 400 "},
		{"a body without end", strings.Replace(request("POST", "/mcp", ""), "Content-Length: 0", "Transfer-Encoding: chunked", 1) + strings.Repeat("10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n", 128), "HTTP/1.1 413 "},
		{"a proxy's request", "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n", "HTTP/1.1 403 "},
		{"an absolute address", "GET http://evil.example/mcp HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 403 "},
	} {
		wg.Go(func() {
			began := time.Now()
			s := dial(t, addr)
			go io.WriteString(s, row.text) // the other end may have had enough before the end
			s.SetReadDeadline(time.Now().Add(enough))
			said := make([]byte, len(row.want))
			_, err := io.ReadFull(s, said)
			// On a busy machine megabytes take longer than their sender has. Then there is no
			// answer, or one to a body that did not come.
			late := time.Since(began) > fair && (errors.Is(err, io.EOF) || err == nil && string(said) == "HTTP/1.1 400 ")
			if err != nil && !errors.Is(err, syscall.ECONNRESET) && !late || err == nil && string(said) != row.want && !late {
				t.Errorf("%s: %q, %v", row.name, said, err)
			}
			s.ended()
		})
	}
	wg.Wait()
}

// TestPipelining: requests that come at once are answered one after the other.
func TestPipelining(t *testing.T) {
	_, addr, settled := slowly(t, mcpserver.Patience{Idle: fair}, admission.Limits{}, add)
	defer settled()
	s := dial(t, addr)
	const many = 50
	for n := range many {
		s.send(request("POST", "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"add","arguments":{"a":%d,"b":0},%s}}`, n, n, meta),
			"Mcp-Protocol-Version", stateless, "Mcp-Method", "tools/call", "Mcp-Name", "add"))
	}
	reader := bufio.NewReader(s)
	for n := range many {
		response, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(n, err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(string(text), fmt.Sprintf(`"structuredContent":{"sum":%d}`, n)) {
			t.Fatalf("%d: %s, %v", n, text, err)
		}
	}
	s.ended() // idle for too long
}

// TestHalfOpen: a client that says it has nothing more to say ends its streams.
func TestHalfOpen(t *testing.T) {
	_, addr, settled := slowly(t, mcpserver.Patience{}, admission.Limits{Sessions: 1}, add)
	defer settled()
	for range 3 { // the place of the first is free again
		var s socket
		for start := time.Now(); ; {
			s = dial(t, addr)
			s.send(request("GET", "/sse", ""))
			response, err := http.ReadResponse(bufio.NewReader(s), nil)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode == 200 {
				break
			}
			if time.Since(start) > enough {
				t.Fatal(response.Status)
			}
		}
		if err := s.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		s.ended()
	}
}

// TestManyConnections: connections beyond the limit wait, and are served when others
// have closed.
func TestManyConnections(t *testing.T) {
	_, addr, settled := slowly(t, mcpserver.Patience{Headers: fair, Idle: fair}, admission.Limits{Connections: 3}, add)
	defer settled()
	first, second := dial(t, addr), dial(t, addr)
	dial(t, addr)
	fourth := dial(t, addr)
	fourth.send(request("GET", "/healthz", ""))
	if response, err := http.ReadResponse(bufio.NewReader(fourth), nil); err != nil || response.StatusCode != 200 {
		t.Error(response, err)
	}
	first.ended()
	second.ended()
}

// TestHalfARequestDoesNotHoldADrainUp, although it may take its time otherwise.
func TestHalfARequestDoesNotHoldADrainUp(t *testing.T) {
	f := newFixture(t, mcpserver.Config{}, add)
	token, err := mcpserver.NewToken(secret)
	if err != nil {
		t.Fatal(err)
	}
	addr, stop := f.listen(t, mcpserver.HTTP{Token: token, DrainTimeout: 2 * enough, Patience: mcpserver.Patience{Body: 2 * enough}})
	s := dial(t, addr)
	half := request("POST", "/mcp", initialize, "Expect", "100-continue")
	s.send(half[:len(half)-1])
	if line, err := bufio.NewReader(s).ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q, %v", line, err) // only now the body is waited for
	}
	stopped := make(chan struct{})
	go func() {
		stop()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(enough):
		t.Error("the server waits for the rest")
		s.Close()
		<-stopped
	}
}
