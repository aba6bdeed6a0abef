package plainhttp_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/plainhttp"
)

// transport returns one that reaches this machine, and counts what it dials and hands on.
func transport(t *testing.T) (to *plainhttp.Transport, dialled, handedOn *atomic.Int64) {
	dialled, handedOn = new(atomic.Int64), new(atomic.Int64)
	guard := &netguard.Guard{
		Resolve: netguard.SystemResolve, Hosts: netguard.AnyHost(), Private: true,
		Dial: func(ctx context.Context, network string, addr netip.AddrPort) (net.Conn, error) {
			dialled.Add(1)
			return netguard.SystemDial(ctx, network, addr)
		},
	}
	to = plainhttp.New(guard, other{handedOn})
	t.Cleanup(to.CloseIdleConnections)
	return to, dialled, handedOn
}

type other struct{ asked *atomic.Int64 }

func (o other) RoundTrip(r *http.Request) (*http.Response, error) {
	o.asked.Add(1)
	return nil, errors.New("handed on")
}

func request(t *testing.T, ctx context.Context, url, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return r
}

func post(t *testing.T, to http.RoundTripper, url, body string) (string, error) {
	t.Helper()
	resp, err := to.RoundTrip(request(t, t.Context(), url, body))
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// raw serves each connection with a function that gets its number.
func raw(t *testing.T, serve func(n int, c net.Conn, in *bufio.Reader)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var work sync.WaitGroup
	t.Cleanup(func() { l.Close(); work.Wait() })
	work.Go(func() {
		for n := 1; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer c.Close()
				serve(n, c, bufio.NewReader(c))
			})
		}
	})
	return "http://" + l.Addr().String() + "/mcp?a=b"
}

// read takes one request off a connection, with the parser of net/http.
func read(in *bufio.Reader) (string, error) {
	r, err := http.ReadRequest(in)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r.Body)
	return string(text), err
}

func TestARequestArrivesAsItIs(t *testing.T) {
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s %d %q %s", r.Method, r.RequestURI, r.Host, r.Header.Get("Content-Type"), r.ContentLength, r.Header.Values("X"), text)
	}))
	defer served.Close()
	to, _, _ := transport(t)
	r := request(t, t.Context(), served.URL+"/a%2Fb?c=d", "some text")
	r.Header["X"] = []string{"1", "zwei"}
	resp, err := to.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(resp.Body)
	if want := "POST /a%2Fb?c=d " + strings.TrimPrefix(served.URL, "http://") + ` application/json 9 ["1" "zwei"] some text`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAConnectionIsUsedAgain: also after a response whose end was left to the transport.
func TestAConnectionIsUsedAgain(t *testing.T) {
	ended := make(chan struct{}, 1)
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "data: 1\n\n")
		http.NewResponseController(w).Flush()
		io.WriteString(w, ": the rest\n")
		if r.URL.Path == "/left" {
			go func() { <-r.Context().Done(); ended <- struct{}{} }()
		}
	}))
	defer served.Close()
	to, dialled, _ := transport(t)
	for range 3 {
		if text, err := post(t, to, served.URL, "{}"); err != nil || !strings.HasPrefix(text, "data: 1") {
			t.Fatal(text, err)
		}
	}
	if dialled.Load() != 1 {
		t.Errorf("%d connections for three requests", dialled.Load())
	}
	resp, err := to.RoundTrip(request(t, t.Context(), served.URL+"/left", "{}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 8)); err != nil {
		t.Fatal(err)
	}
	<-ended // the handler has returned, so all of its response is on its way
	if !plainhttp.Left(resp.Body) {
		t.Fatal("not its own body")
	}
	if _, err := post(t, to, served.URL, "{}"); err != nil {
		t.Fatal(err)
	}
	if n := dialled.Load(); n > 2 { // the last bytes may come after the handler has returned
		t.Errorf("%d connections", n)
	}
}

// TestWhatNobodyAskedForIsNoAnswer: bytes that a server sends ahead are not taken for the
// answer to the next request, whenever they come.
func TestWhatNobodyAskedForIsNoAnswer(t *testing.T) {
	const forged = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nforged"
	for name, first := range map[string]string{
		"in the same packet": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok" + forged,
		"later":              "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"behind a rest":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			sent := make(chan struct{})
			url := raw(t, func(n int, c net.Conn, in *bufio.Reader) {
				if _, err := read(in); err != nil {
					return
				}
				if n > 1 {
					io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhonest")
					return
				}
				io.WriteString(c, first)
				<-sent
				if name != "in the same packet" {
					io.WriteString(c, strings.Repeat("0\r\n\r\n", strings.Count(first, "chunked"))+forged)
				}
				sent <- struct{}{}
				io.Copy(io.Discard, c)
			})
			to, _, _ := transport(t)
			resp, err := to.RoundTrip(request(t, t.Context(), url, "{}"))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(resp.Body, make([]byte, 2)); err != nil {
				t.Fatal(err)
			}
			if name == "behind a rest" {
				plainhttp.Left(resp.Body)
			} else {
				io.Copy(io.Discard, resp.Body)
			}
			sent <- struct{}{}
			<-sent // over loopback it is there when the write has returned
			if text, err := post(t, to, url, "{}"); err != nil || text != "honest" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
}

// TestAClosedConnectionIsNotUsed: a server that closed an idle connection gets the next
// request over another one, and no call fails.
func TestAClosedConnectionIsNotUsed(t *testing.T) {
	for _, left := range []bool{false, true} {
		closed, goOn := make(chan struct{}, 1), make(chan struct{})
		url := raw(t, func(_ int, c net.Conn, in *bufio.Reader) {
			if _, err := read(in); err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
			if left {
				<-goOn
			}
			io.WriteString(c, "0\r\n\r\n")
			c.Close()
			closed <- struct{}{}
		})
		to, dialled, _ := transport(t)
		for range 3 {
			resp, err := to.RoundTrip(request(t, t.Context(), url, "{}"))
			if err != nil {
				t.Fatal(err)
			}
			if left {
				io.ReadFull(resp.Body, make([]byte, 2))
				plainhttp.Left(resp.Body)
				goOn <- struct{}{}
			} else if _, err := io.ReadAll(resp.Body); err != nil {
				t.Fatal(err)
			}
			<-closed
		}
		if dialled.Load() != 3 {
			t.Errorf("%d connections", dialled.Load())
		}
	}
}

// TestARestThatDoesNotEnd: a connection whose response was left and goes on is not used.
func TestARestThatDoesNotEnd(t *testing.T) {
	for name, rest := range map[string]string{"nothing more": "", "too much": strings.Repeat("1\r\na\r\n", 1000), "half a chunk": "ff\r\nabc"} {
		more, sent := make(chan struct{}), make(chan struct{})
		url := raw(t, func(n int, c net.Conn, in *bufio.Reader) {
			read(in)
			if n > 1 {
				io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecond")
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n")
			<-more
			io.WriteString(c, rest)
			close(sent)
			io.Copy(io.Discard, c)
		})
		to, _, _ := transport(t)
		resp, err := to.RoundTrip(request(t, t.Context(), url, "{}"))
		if err != nil {
			t.Fatal(err)
		}
		io.ReadFull(resp.Body, make([]byte, 2))
		plainhttp.Left(resp.Body)
		close(more)
		<-sent
		if text, err := post(t, to, url, "{}"); err != nil || text != "second" {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// TestAnEndThatComesLate: a connection whose response has not ended yet when another
// request is made is used again once it has.
func TestAnEndThatComesLate(t *testing.T) {
	end, ended := make(chan struct{}), make(chan struct{}, 2)
	url := raw(t, func(n int, c net.Conn, in *bufio.Reader) {
		defer c.Close()
		for {
			if _, err := read(in); err != nil {
				return
			}
			if n > 1 {
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n%d", n)
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n1\r\n")
			<-end
			io.WriteString(c, "0\r\n\r\n")
			ended <- struct{}{}
		}
	})
	t.Cleanup(func() { close(end) })
	to, dialled, _ := transport(t)
	ask := func() string {
		resp, err := to.RoundTrip(request(t, t.Context(), url, "{}"))
		if err != nil {
			t.Fatal(err)
		}
		text := make([]byte, 1)
		io.ReadFull(resp.Body, text)
		plainhttp.Left(resp.Body)
		return string(text)
	}
	for i, want := range []string{"1", "2", "1", "3"} {
		if i == 2 {
			end <- struct{}{}
			<-ended // over loopback it is there when the write has returned
		}
		if got := ask(); got != want {
			t.Errorf("request %d went over connection %s, want %s", i+1, got, want)
		}
	}
	if dialled.Load() != 3 {
		t.Errorf("%d connections", dialled.Load())
	}
}

// TestHostileResponses: none is an answer, and each ends by itself.
func TestHostileResponses(t *testing.T) {
	endless := func(text string) func(c net.Conn) {
		return func(c net.Conn) {
			for {
				if _, err := io.WriteString(c, text); err != nil {
					return
				}
			}
		}
	}
	once := func(text string) func(c net.Conn) { return func(c net.Conn) { io.WriteString(c, text) } }
	for name, serve := range map[string]func(net.Conn){
		"nothing":                 once(""),
		"no HTTP":                 once("hello\r\n\r\n"),
		"half a head":             once("HTTP/1.1 200 OK\r\nContent-"),
		"an endless status line":  endless("HTTP/1.1 200 OK OK OK"),
		"endless headers":         func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\n"); endless("A: b\r\n")(c) },
		"an endless header":       func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nA: "); endless("bbbbbbbbbbbbbbbb")(c) },
		"endless hints":           endless("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n"),
		"another protocol":        once("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
		"two lengths":             once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"),
		"a negative length":       once("HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nabc"),
		"a body that breaks off":  once("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nabc"),
		"a chunk that breaks off": once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc"),
		"a chunk of no length":    once("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"),
		"endless extensions of chunk": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;")
			endless("aaaaaaaa")(c)
		},
		"an endless trailer": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: ")
			endless("aaaaaaaa")(c)
		},
	} {
		t.Run(name, func(t *testing.T) {
			url := raw(t, func(_ int, c net.Conn, in *bufio.Reader) {
				if _, err := read(in); err == nil {
					serve(c)
				}
			})
			to, _, _ := transport(t)
			if text, err := post(t, to, url, "{}"); err == nil {
				t.Errorf("it was taken for an answer: %.100q", text)
			}
		})
	}
}

// TestTheContextEndsARequest: before the response and in the middle of it, and the server
// learns of it.
func TestTheContextEndsARequest(t *testing.T) {
	for _, head := range []string{"", "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nabc"} {
		ctx, cancel := context.WithCancel(t.Context())
		arrived, gone := make(chan struct{}), make(chan error, 1)
		url := raw(t, func(_ int, c net.Conn, in *bufio.Reader) {
			read(in)
			io.WriteString(c, head)
			close(arrived)
			_, err := in.ReadByte()
			gone <- err
		})
		to, _, _ := transport(t)
		go func() { <-arrived; cancel() }()
		resp, err := to.RoundTrip(request(t, ctx, url, "{}"))
		if head == "" && !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if err == nil {
			if _, err = io.ReadAll(resp.Body); err == nil {
				t.Error("half a body was whole")
			}
			resp.Body.Close()
		}
		if err := <-gone; err == nil {
			t.Error("the server was sent more")
		}
		cancel()
	}
}

// TestCloseEndsARead: a reader that waits for the rest of a body is let go.
func TestCloseEndsARead(t *testing.T) {
	url := raw(t, func(_ int, c net.Conn, in *bufio.Reader) {
		read(in)
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nabc")
		io.Copy(io.Discard, c)
	})
	to, _, _ := transport(t)
	resp, err := to.RoundTrip(request(t, t.Context(), url, "{}"))
	if err != nil {
		t.Fatal(err)
	}
	io.ReadFull(resp.Body, make([]byte, 3))
	ended := make(chan error)
	go func() {
		_, err := resp.Body.Read(make([]byte, 1))
		ended <- err
	}()
	resp.Body.Close()
	if err := <-ended; err == nil {
		t.Error("it read something")
	}
}

func TestWhatIsNotSentFromHere(t *testing.T) {
	to, dialled, handedOn := transport(t)
	for name, r := range map[string]*http.Request{
		"TLS":         request(t, t.Context(), "https://127.0.0.1:1/", "{}"),
		"a long body": request(t, t.Context(), "http://127.0.0.1:1/", strings.Repeat("a", 17<<10)),
		"no length": func() *http.Request {
			r := request(t, t.Context(), "http://127.0.0.1:1/", "{}")
			r.ContentLength = -1
			return r
		}(),
		"a stream": func() *http.Request {
			r := request(t, t.Context(), "http://127.0.0.1:1/", "{}")
			r.Method = "GET"
			return r
		}(),
	} {
		before := handedOn.Load()
		if to.RoundTrip(r); handedOn.Load() != before+1 {
			t.Errorf("%s was sent from here", name)
		}
	}
	// What would make one request two, or cannot be written as it is, is not sent at all.
	url := raw(t, func(_ int, c net.Conn, in *bufio.Reader) {
		if text, err := read(in); err == nil {
			t.Errorf("it arrived: %q", text)
		}
	})
	for name, change := range map[string]func(*http.Request){
		"a line break in a value": func(r *http.Request) { r.Header.Set("A", "b\r\nC: d") },
		"a line break in a name":  func(r *http.Request) { r.Header["A: b\r\nC"] = []string{"d"} },
		"a line break in a host":  func(r *http.Request) { r.Host = "a\r\nB: c" },
		"a body that is too short": func(r *http.Request) {
			r.Body = io.NopCloser(bytes.NewReader([]byte("{")))
		},
	} {
		r := request(t, t.Context(), url, "{}")
		change(r)
		if _, err := to.RoundTrip(r); err == nil {
			t.Errorf("%s was sent", name)
		}
	}
	if dialled.Load() == 0 {
		t.Error("nothing of this was dialled")
	}
}

// TestTheGuardIsAsked: for the URL and for the address.
func TestTheGuardIsAsked(t *testing.T) {
	to := plainhttp.New(&netguard.Guard{Resolve: netguard.SystemResolve, Dial: netguard.SystemDial, Hosts: netguard.AnyHost()}, other{new(atomic.Int64)})
	for _, url := range []string{"http://127.0.0.1:9/", "http://localhost:9/", "http://10.0.0.1/", "http://user:secret@example.com/"} {
		_, err := post(t, to, url, "{}")
		if refusal := (*netguard.Refusal)(nil); !errors.As(err, &refusal) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestManyAtOnce: answers do not get mixed up, under the race detector too.
func TestManyAtOnce(t *testing.T) {
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer served.Close()
	to, dialled, _ := transport(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			for j := range 50 {
				body := fmt.Sprintf("%d %d", i, j)
				if text, err := post(t, to, served.URL, body); err != nil || text != body {
					t.Errorf("%q for %q: %v", text, body, err)
				}
			}
		})
	}
	all.Wait()
	if n := dialled.Load(); n > 100 {
		t.Errorf("%d connections for 20 callers", n)
	}
}
