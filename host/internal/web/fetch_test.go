package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// internet is a network of public addresses that all lead to loopback servers.

type internet struct {
	mu      sync.Mutex
	names   map[string]netip.Addr
	servers map[netip.Addr]string
	dialled int
	reached []string
}

func newInternet() *internet {
	return &internet{names: map[string]netip.Addr{}, servers: map[netip.Addr]string{}}
}

// serve gives a name a public address with a server behind it, on every port.

func (n *internet) serve(t testing.TB, name string, h http.Handler) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	n.at(name, server.Listener.Addr().String())
}

func (n *internet) at(name, listener string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	a := netip.AddrFrom4([4]byte{93, 184, 216, byte(len(n.names) + 1)})
	n.names[name], n.servers[a] = a, listener
}

func (n *internet) resolve(_ context.Context, name string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if a, ok := n.names[name]; ok {
		return []netip.Addr{a}, nil
	}
	return nil, errors.New("no such name")
}

func (n *internet) dial(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	n.mu.Lock()
	server, ok := n.servers[to.Addr()]
	n.dialled++
	n.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("no route to %v", to)
	}
	var d net.Dialer
	return d.DialContext(ctx, network, server)
}

// client is a client in strict mode.

func (n *internet) client(t testing.TB) *Client {
	c := New(&netguard.Guard{Resolve: n.resolve, Dial: n.dial, Hosts: netguard.AnyHost()}, nil, func(host string) {
		n.mu.Lock()
		defer n.mu.Unlock()
		n.reached = append(n.reached, host)
	})
	t.Cleanup(c.Close)
	return c
}

type response struct {
	responseHead
	body string
}

func get(c *Client, a fetchArgs, blob ...byte) (response, error) {
	if a.Headers == nil {
		a.Headers = [][2]string{}
	}
	text, err := json.Marshal(a)
	if err != nil {
		return response{}, err
	}
	head, body, err := c.Fetch(context.Background(), budgettest.Ample(), text, blob)
	if err != nil {
		return response{}, err
	}
	r := response{body: string(body)}
	return r, json.Unmarshal(head, &r.responseHead)
}

func reason(err error) string {
	var e *hostcall.Error
	if errors.As(err, &e) {
		return string(e.Kind) + " " + e.Reason
	}
	if err != nil {
		return "not for the guest: " + err.Error()
	}
	return ""
}

// echo answers with what it was asked.

var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Seen", "1")
	json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "uri": r.RequestURI, "host": r.Host, "header": r.Header, "body": string(body), "length": r.ContentLength})
})

type echoed struct {
	Method, URI, Host, Body string
	Header                  http.Header
	Length                  int64
}

func TestWhatIsSent(t *testing.T) {
	n := newInternet()
	n.serve(t, "echo.example", echo)
	c := n.client(t)
	body := "grüße"
	res, err := get(c, fetchArgs{URL: " http://Echo.Example./a b/ü?q=a b&r=é<\"#frag ", Method: "post", Body: &body, Headers: [][2]string{
		{"X-Key", " v "}, {"x-key", "w"}, {"Host", "evil.example"}, {"Connection", "close"}, {"Content-Length", "1"}, {"Transfer-Encoding", "chunked"},
		{"Upgrade", "h2c"}, {"Expect", "100-continue"}, {"User-Agent", "mine"}, {"Accept-Encoding", "identity"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var seen echoed
	if err := json.Unmarshal([]byte(res.body), &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Method != "POST" || seen.URI != "/a%20b/%C3%BC?q=a%20b&r=%C3%A9%3C%22" || seen.Host != "echo.example" || seen.Body != body || seen.Length != int64(len(body)) {
		t.Errorf("sent %+v", seen)
	}
	want := http.Header{"X-Key": {"v", "w"}, "User-Agent": {"mine"}, "Accept": {"*/*"}, "Accept-Encoding": {acceptEncoding}, "Content-Length": {"7"}}
	for name := range seen.Header {
		if !slices.Equal(seen.Header[name], want[name]) {
			t.Errorf("sent %s: %q", name, seen.Header[name])
		}
		delete(want, name)
	}
	if len(want) != 0 {
		t.Errorf("did not send %v", want)
	}
	if res.URL != "http://echo.example/a%20b/%C3%BC?q=a%20b&r=%C3%A9%3C%22" || res.Redirected || res.StatusText != "OK" {
		t.Errorf("got %+v", res.responseHead)
	}
	res, err = get(c, fetchArgs{URL: "http://echo.example/", Method: "PUT"}, 0, 255, 1)
	if err != nil || json.Unmarshal([]byte(res.body), &seen) != nil || seen.Length != 3 {
		t.Errorf("a binary body: %+v %v", seen, err)
	}
	if !slices.Equal(n.reached, []string{"echo.example", "echo.example"}) {
		t.Errorf("reached %v", n.reached)
	}
}

func TestRefusedWithoutIO(t *testing.T) {
	n := newInternet()
	c := n.client(t)
	long := strings.Repeat("x", maxBody+1)
	some := "x"
	many := make([][2]string, maxHeaders+1)
	for i := range many {
		many[i] = [2]string{"a", "b"}
	}
	for _, tc := range []struct {
		args fetchArgs
		want string
	}{
		{fetchArgs{URL: "file:///etc/passwd"}, "SECURITY unsupported-scheme"},
		{fetchArgs{URL: "data:,x"}, "SECURITY unsupported-scheme"},
		{fetchArgs{URL: "javascript:1"}, "SECURITY unsupported-scheme"},
		{fetchArgs{URL: ""}, "SECURITY unsupported-scheme"},
		{fetchArgs{URL: "http://"}, "INVALID_INPUT missing-host"},
		{fetchArgs{URL: "http:a.example"}, "INVALID_INPUT missing-host"},
		{fetchArgs{URL: "http://a b/"}, "INVALID_INPUT invalid-url"},
		{fetchArgs{URL: "http://a.example\\@b.example/"}, "INVALID_INPUT invalid-url"},
		{fetchArgs{URL: "http://a.example/\n"}, "SECURITY "}, // trimmed: fails only at the look-up
		{fetchArgs{URL: "http://a.ex\nample/"}, "INVALID_INPUT invalid-url"},
		{fetchArgs{URL: "http://127.0.0.1/"}, "SECURITY literal-private-ip"},
		{fetchArgs{URL: "http://0x7f.1/"}, "SECURITY literal-private-ip"},
		{fetchArgs{URL: "http://１２７.0.0.1/"}, "SECURITY literal-private-ip"},
		{fetchArgs{URL: "http://[::ffff:127.0.0.1]/"}, "SECURITY literal-private-ip"},
		{fetchArgs{URL: "http://u:p@a.example/"}, "SECURITY userinfo-not-allowed"},
		{fetchArgs{URL: "http://a.example:25/"}, "SECURITY port-not-allowed"},
		{fetchArgs{URL: "http://a.example/" + strings.Repeat("x", maxURL)}, "INVALID_INPUT invalid-url"},
		{fetchArgs{URL: "http://a.example/", Method: "CONNECT"}, "INVALID_INPUT invalid-method"},
		{fetchArgs{URL: "http://a.example/", Method: "GE T"}, "INVALID_INPUT invalid-method"},
		{fetchArgs{URL: "http://a.example/", Method: "G\r\nX: y"}, "INVALID_INPUT invalid-method"},
		{fetchArgs{URL: "http://a.example/", Headers: [][2]string{{"a b", "c"}}}, "INVALID_INPUT invalid-header"},
		{fetchArgs{URL: "http://a.example/", Headers: [][2]string{{"a", "c\r\nd: e"}}}, "INVALID_INPUT invalid-header"},
		{fetchArgs{URL: "http://a.example/", Headers: [][2]string{{"", "c"}}}, "INVALID_INPUT invalid-header"},
		{fetchArgs{URL: "http://a.example/", Headers: many}, "INVALID_INPUT invalid-header"},
		{fetchArgs{URL: "http://a.example/", Headers: [][2]string{{"a", long[:maxHeaderBytes]}}}, "INVALID_INPUT invalid-header"},
		{fetchArgs{URL: "http://a.example/", Redirect: "maybe"}, "INVALID_INPUT invalid-argument"},
		{fetchArgs{URL: "http://a.example/", Body: &some}, "INVALID_INPUT body-not-allowed"},
		{fetchArgs{URL: "http://a.example/", Method: "POST", Body: &long}, "INVALID_INPUT request-body-too-large"},
	} {
		text, _ := json.Marshal(tc.args)
		_, _, err := c.Check(t.Context(), budgettest.Ample(), text, nil)
		if tc.want == "SECURITY " {
			if err != nil {
				t.Errorf("%.60s: %v", tc.args.URL, err)
			}
			continue
		}
		if got := reason(err); got != tc.want {
			t.Errorf("check %.60q %s: got %s, want %s", tc.args.URL, tc.args.Method, got, tc.want)
		}
		if _, err := get(c, tc.args); reason(err) != tc.want {
			t.Errorf("fetch %.60q: %v", tc.args.URL, err)
		}
	}
	if _, _, err := c.Check(t.Context(), budgettest.Ample(), []byte("["), nil); reason(err) != "INVALID_INPUT invalid-argument" {
		t.Error(err)
	}
	if n.dialled != 0 {
		t.Errorf("dialled %d times", n.dialled)
	}
}

// idle is a reader that never gives anything and never ends.

func TestResponseHeaders(t *testing.T) {
	n := newInternet()
	n.serve(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["X-A"] = []string{"1", "2"}
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(418)
	}))
	res, err := get(n.client(t), fetchArgs{URL: "http://a.example/"})
	if err != nil || res.Status != 418 || res.StatusText != "" {
		t.Errorf("%+v %v", res, err)
	}
	if !slices.Contains(res.Headers, [2]string{"x-a", "1, 2"}) || !slices.IsSortedFunc(res.Headers, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) }) {
		t.Errorf("headers %v", res.Headers)
	}
}

// rude serves raw bytes, byte for byte, and holds the connection open on demand.

func TestTLS(t *testing.T) {
	n := newInternet()
	server := httptest.NewTLSServer(echo)
	defer server.Close()
	server.Config.ErrorLog = nil
	n.at("example.com", server.Listener.Addr().String())
	n.at("wrong.example", server.Listener.Addr().String())
	n.serve(t, "plain.example", echo)
	guard := &netguard.Guard{Resolve: n.resolve, Dial: n.dial, Hosts: netguard.AnyHost()}
	trusting := New(guard, server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, func(string) {})
	defer trusting.Close()
	if res, err := get(trusting, fetchArgs{URL: "https://example.com/"}); err != nil || res.Status != 200 {
		t.Errorf("a good certificate: %v", err)
	}
	for _, url := range []string{"https://wrong.example/", "https://plain.example/"} {
		if _, err := get(trusting, fetchArgs{URL: url}); reason(err) != "HELPER_RUNTIME tls" {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := get(n.client(t), fetchArgs{URL: "https://example.com/"}); reason(err) != "HELPER_RUNTIME tls" {
		t.Errorf("an unknown authority: %v", err)
	}
}

func TestAbortAndCancel(t *testing.T) {
	n := newInternet()
	asked := make(chan struct{}, 1)
	n.at("silent.example", rude(t, func(c net.Conn) { asked <- struct{}{}; io.Copy(io.Discard, c) }))
	c := n.client(t)
	ended := make(chan error, 1)
	go func() {
		_, err := get(c, fetchArgs{Key: "k", URL: "http://silent.example/"})
		ended <- err
	}()
	<-asked
	c.Abort(t.Context(), budgettest.Ample(), []byte("other"), nil)
	c.Abort(t.Context(), budgettest.Ample(), []byte("k"), nil)
	if err := <-ended; reason(err) != "HELPER_RUNTIME interrupted" {
		t.Errorf("aborted: %v", err)
	}
	if len(c.flying) != 0 || len(c.slots) != 0 {
		t.Errorf("%d requests are still known, %d slots taken", len(c.flying), len(c.slots))
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, _, err := c.Fetch(ctx, budgettest.Ample(), []byte(`{"url":"http://silent.example/"}`), nil); reason(err) != "HELPER_RUNTIME interrupted" {
		t.Errorf("cancelled: %v", err)
	}
}

// Many large answers at once must not add up to the memory of the machine.

func TestHTTP2(t *testing.T) {
	n := newInternet()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	n.at("example.com", server.Listener.Addr().String())
	c := New(&netguard.Guard{Resolve: n.resolve, Dial: n.dial, Hosts: netguard.AnyHost()}, server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs, func(string) {})
	defer c.Close()
	if res, err := get(c, fetchArgs{URL: "https://example.com/"}); err != nil || res.body != "HTTP/2.0" {
		t.Errorf("%s %v", res.body, err)
	}
}

func TestNoConnectionIsShared(t *testing.T) {
	n := newInternet()
	n.serve(t, "a.example", echo)
	first, second := n.client(t), n.client(t)
	for _, c := range []*Client{first, first, second, first} {
		if _, err := get(c, fetchArgs{URL: "http://a.example/"}); err != nil {
			t.Fatal(err)
		}
	}
	if n.dialled != 2 {
		t.Errorf("%d connections for two clients", n.dialled)
	}
}
