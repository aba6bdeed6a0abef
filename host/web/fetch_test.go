package web

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
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
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/glovebox-run/glovebox/host/hostcall"
	"github.com/glovebox-run/glovebox/host/netguard"
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
	head, body, err := c.Fetch(context.Background(), text, blob)
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
		_, _, err := c.Check(t.Context(), text, nil)
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
	if _, _, err := c.Check(t.Context(), []byte("["), nil); reason(err) != "INVALID_INPUT invalid-argument" {
		t.Error(err)
	}
	if n.dialled != 0 {
		t.Errorf("dialled %d times", n.dialled)
	}
}

func TestRedirectMethodsAndBodies(t *testing.T) {
	n := newInternet()
	mux := http.NewServeMux()
	mux.HandleFunc("/from/{status}", func(w http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscan(r.PathValue("status"), &status)
		w.Header().Set("Location", "/to?x#other")
		w.WriteHeader(status)
	})
	mux.Handle("/to", echo)
	n.serve(t, "a.example", mux)
	c := n.client(t)
	for _, tc := range []struct {
		status       int
		method, want string
		body         bool
	}{
		{301, "POST", "GET", false}, {302, "PUT", "GET", false}, {302, "PATCH", "GET", false}, {301, "DELETE", "DELETE", true}, {302, "GET", "GET", false},
		{303, "POST", "GET", false}, {303, "DELETE", "GET", false}, {307, "POST", "POST", true}, {308, "PUT", "PUT", true}, {307, "DELETE", "DELETE", true}, {308, "GET", "GET", false},
	} {
		args := fetchArgs{URL: fmt.Sprintf("http://a.example/from/%d#frag", tc.status), Method: tc.method, Headers: [][2]string{{"Content-Type", "text/x"}, {"Authorization", "secret"}}}
		if tc.method != "GET" {
			body := "body"
			args.Body = &body
		}
		res, err := get(c, args)
		var seen echoed
		if err != nil || json.Unmarshal([]byte(res.body), &seen) != nil {
			t.Fatalf("%d %s: %v", tc.status, tc.method, err)
		}
		if seen.Method != tc.want || (seen.Body == "body") != tc.body || (seen.Header.Get("Content-Type") == "text/x") != tc.body {
			t.Errorf("%d %s: %+v", tc.status, tc.method, seen)
		}
		if !res.Redirected || res.URL != "http://a.example/to?x" || seen.Header.Get("Authorization") != "secret" {
			t.Errorf("%d %s: %+v %v", tc.status, tc.method, res.responseHead, seen.Header)
		}
	}
	for _, status := range []int{300, 304, 305, 306} {
		if res, err := get(c, fetchArgs{URL: fmt.Sprintf("http://a.example/from/%d", status)}); err != nil || res.Status != status {
			t.Errorf("%d was followed: %v", status, err)
		}
	}
	res, err := get(c, fetchArgs{URL: "http://a.example/from/302", Redirect: "manual"})
	if err != nil || res.Status != 302 || res.StatusText != "Found" || res.Redirected {
		t.Errorf("manual: %+v %v", res, err)
	}
	if _, err := get(c, fetchArgs{URL: "http://a.example/from/302", Redirect: "error"}); reason(err) != "HELPER_RUNTIME redirected" {
		t.Errorf("error: %v", err)
	}
}

func TestRedirectTargetsAreJudged(t *testing.T) {
	n := newInternet()
	var hops int
	n.serve(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
		}
		if r.URL.Path == "/loop" {
			hops++
			w.Header().Set("Location", "/loop")
		}
		w.WriteHeader(302)
	}))
	n.serve(t, "other.example", echo)
	c := n.client(t)
	for to, want := range map[string]string{
		"":                             "",
		"http://127.0.0.1/":            "SECURITY literal-private-ip",
		"http://2130706433/":           "SECURITY literal-private-ip",
		"//169.254.169.254/latest":     "SECURITY literal-private-ip",
		"file:///etc/passwd":           "SECURITY unsupported-scheme",
		"http://u:p@other.example/":    "SECURITY userinfo-not-allowed",
		"http://other.example:22/":     "SECURITY port-not-allowed",
		"http://nowhere.example/":      "SECURITY dns-resolution-failed",
		"http://[::1/":                 "HELPER_RUNTIME invalid-redirect",
		"http://other.example\\.evil/": "HELPER_RUNTIME invalid-redirect",
	} {
		if _, err := get(c, fetchArgs{URL: "http://a.example/?to=" + strings.ReplaceAll(to, "&", "%26")}); reason(err) != want {
			t.Errorf("to %q: %v, want %q", to, err, want)
		}
	}
	// What is shown and compared is the host's one spelling, on later hops as well.
	if res, err := get(c, fetchArgs{URL: "http://a.example/?to=http://OTHER.Example./"}); err != nil || res.URL != "http://other.example/" {
		t.Errorf("%s %v", res.URL, err)
	}
	if _, err := get(c, fetchArgs{URL: "http://a.example/loop"}); reason(err) != "SECURITY too-many-redirects" || hops != maxHops+1 {
		t.Errorf("after %d hops: %v", hops, err)
	}
}

func TestRedirectsDropWhatIdentifiesTheSender(t *testing.T) {
	n := newInternet()
	to := func(location string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, location, http.StatusTemporaryRedirect)
		}
	}
	n.serve(t, "same.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			to("/end").ServeHTTP(w, r)
			return
		}
		echo.ServeHTTP(w, r)
	}))
	n.serve(t, "cross.example", to("http://end.example/"))
	n.serve(t, "port.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "port.example" {
			to("http://port.example:8080/").ServeHTTP(w, r)
			return
		}
		echo.ServeHTTP(w, r)
	}))
	n.serve(t, "back.example", to("http://via.example/"))
	n.serve(t, "via.example", to("http://same.example/end"))
	n.serve(t, "end.example", echo)
	c := n.client(t)
	secret := []string{"Authorization", "Cookie", "X-Api-Key", "Proxy-Authorization"}
	for host, kept := range map[string]bool{"same.example": true, "cross.example": false, "port.example": false, "back.example": false} {
		headers := [][2]string{{"Accept", "text/x"}, {"Content-Type", "text/y"}}
		for _, name := range secret {
			headers = append(headers, [2]string{name, "secret"})
		}
		body := "x"
		res, err := get(c, fetchArgs{URL: "http://" + host + "/", Method: "POST", Body: &body, Headers: headers})
		var seen echoed
		if err != nil || json.Unmarshal([]byte(res.body), &seen) != nil {
			t.Fatalf("%s: %v", host, err)
		}
		for _, name := range secret[:3] {
			if (seen.Header.Get(name) != "") != kept {
				t.Errorf("%s: %s kept: %v", host, name, !kept)
			}
		}
		if seen.Header.Get("Proxy-Authorization") != "" || seen.Header.Get("Accept") != "text/x" || seen.Header.Get("Content-Type") != "text/y" || seen.Body != "x" {
			t.Errorf("%s: %+v", host, seen)
		}
	}
}

func pack(t testing.TB, coding string, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&out)
	case "deflate":
		w = zlib.NewWriter(&out)
	case "raw deflate":
		w, _ = flate.NewWriter(&out, 9)
	case "br":
		w = brotli.NewWriter(&out)
	case "zstd":
		w, _ = zstd.NewWriter(&out)
	default:
		t.Fatal(coding)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestBodies(t *testing.T) {
	plain := []byte(strings.Repeat("héllo ", 1000))
	bomb := make([]byte, maxBody+1)
	full := bomb[:maxBody]
	type answer struct {
		coding string
		body   []byte
		want   string // reason, or empty for a good answer
		length int
	}
	answers := map[string]answer{
		"plain":        {"", plain, "", len(plain)},
		"identity":     {"identity", plain, "", len(plain)},
		"empty gzip":   {"gzip", nil, "", 0},
		"two":          {"deflate, gzip", pack(t, "gzip", pack(t, "deflate", plain)), "", len(plain)},
		"four":         {"gzip,gzip,gzip,gzip", plain, "HELPER_RUNTIME unsupported-encoding", 0},
		"unknown":      {"compress", plain, "HELPER_RUNTIME unsupported-encoding", 0},
		"not gzip":     {"gzip", plain, "HELPER_RUNTIME invalid-encoding", 0},
		"not br":       {"br", bytes.Repeat([]byte{0xff}, 100), "HELPER_RUNTIME invalid-encoding", 0},
		"cut":          {"gzip", pack(t, "gzip", plain)[:30], "HELPER_RUNTIME invalid-encoding", 0},
		"full":         {"", full, "", maxBody},
		"too large":    {"", bomb, "SECURITY response-body-too-large", 0},
		"bomb of full": {"gzip", pack(t, "gzip", full), "", maxBody},
		// Nothing comes out at the end, but 13 MiB lie between the two layers.
		"many empty members":     {"gzip, gzip", pack(t, "gzip", bytes.Repeat(pack(t, "gzip", nil), 600_000)), "SECURITY response-body-too-large", 0},
		"bomb in a bomb":         {"gzip, gzip", pack(t, "gzip", pack(t, "gzip", bomb)), "SECURITY response-body-too-large", 0},
		"zstd of 128 MiB window": {"zstd", []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x01, 0x00, 0x00}, "HELPER_RUNTIME invalid-encoding", 0},
	}
	for _, coding := range []string{"gzip", "deflate", "br", "zstd", "raw deflate"} {
		name := strings.TrimPrefix(coding, "raw ")
		answers[coding] = answer{name, pack(t, coding, plain), "", len(plain)}
		answers[coding+" bomb"] = answer{name, pack(t, coding, bomb), "SECURITY response-body-too-large", 0}
	}
	n := newInternet()
	n.serve(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := answers[r.URL.Query().Get("a")]
		if a.coding != "" {
			w.Header().Set("Content-Encoding", a.coding)
		}
		if r.URL.Query().Has("flush") { // without a length
			w.(http.Flusher).Flush()
		}
		w.Write(a.body)
	}))
	c := n.client(t)
	for name, a := range answers {
		for _, more := range []string{"", "&flush"} {
			res, err := get(c, fetchArgs{URL: "http://a.example/?a=" + name + more})
			if reason(err) != a.want || len(res.body) != a.length {
				t.Errorf("%s%s: %d bytes, %v; want %d, %q", name, more, len(res.body), err, a.length, a.want)
			}
			if a.length == len(plain) && res.body != string(plain) {
				t.Errorf("%s%s decodes to something else", name, more)
			}
		}
	}
	if res, err := get(c, fetchArgs{URL: "http://a.example/?a=gzip", Method: "HEAD"}); err != nil || res.body != "" {
		t.Errorf("HEAD: %v", err)
	}
}

// idle is a reader that never gives anything and never ends.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

func TestADecoderWithoutProgressEnds(t *testing.T) {
	res := &http.Response{Body: io.NopCloser(idle{}), ContentLength: -1}
	if _, err := readBody(res, &share{of: new(atomic.Int64)}); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

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
func rude(t testing.TB, reply func(conn net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				conn.Read(make([]byte, 4096))
				reply(conn)
			}()
		}
	}()
	return l.Addr().String()
}

func TestHostileServers(t *testing.T) {
	n := newInternet()
	hang := func(conn net.Conn) { io.Copy(io.Discard, conn) }
	for name, reply := range map[string]func(net.Conn){
		"silent":   hang,
		"closes":   func(net.Conn) {},
		"garbage":  func(c net.Conn) { io.WriteString(c, "\x00\x01\x02 no HTTP\r\n\r\n") },
		"half":     func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Le"); hang(c) },
		"short":    func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc") },
		"lies":     func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\nabc") },
		"negative": func(c net.Conn) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc") },
		"twice": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 3\r\n\r\nabc")
		},
		"longer": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nabc")
		},
		"headers": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for i := 0; ; i++ {
				if _, err := fmt.Fprintf(c, "X-%d: %s\r\n", i, strings.Repeat("h", 1000)); err != nil {
					return
				}
			}
		},
		"drip": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\n")
			for {
				if _, err := io.WriteString(c, "x"); err != nil {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		},
		"endless": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for {
				if _, err := io.WriteString(c, "10000\r\n"+strings.Repeat("x", 1<<16)+"\r\n"); err != nil {
					return
				}
			}
		},
		"continues": func(c net.Conn) {
			for {
				if _, err := io.WriteString(c, "HTTP/1.1 100 Continue\r\nX: "+strings.Repeat("y", 1000)+"\r\n\r\n"); err != nil {
					return
				}
			}
		},
		"switches": func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
			hang(c)
		},
	} {
		n.at(name+".example", rude(t, reply))
	}
	c := n.client(t)
	for name, want := range map[string]string{
		"silent": "timeout", "half": "timeout", "drip": "timeout", "closes": "io", "garbage": "io", "short": "io", "negative": "io", "twice": "io",
		"headers": "io", "continues": "io", "switches": "io", "lies": "response-body-too-large", "endless": "response-body-too-large", "longer": "",
	} {
		res, err := get(c, fetchArgs{URL: "http://" + name + ".example/", Timeout: 300})
		if got := reason(err); !strings.HasSuffix(got, want) || want == "" && (got != "" || res.body != "a") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

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
	c.Abort(t.Context(), []byte("other"), nil)
	c.Abort(t.Context(), []byte("k"), nil)
	if err := <-ended; reason(err) != "HELPER_RUNTIME interrupted" {
		t.Errorf("aborted: %v", err)
	}
	if len(c.flying) != 0 || len(c.slots) != 0 {
		t.Errorf("%d requests are still known, %d slots taken", len(c.flying), len(c.slots))
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	if _, _, err := c.Fetch(ctx, []byte(`{"url":"http://silent.example/"}`), nil); reason(err) != "HELPER_RUNTIME interrupted" {
		t.Errorf("cancelled: %v", err)
	}
}

// Many large answers at once must not add up to the memory of the machine.
func TestBodiesUnderWayAreBounded(t *testing.T) {
	n := newInternet()
	var held sync.WaitGroup
	const requests = 10
	held.Add(requests)
	body := make([]byte, maxBody-1)
	n.serve(t, "a.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write(body)
		w.(http.Flusher).Flush()
		held.Done()
		held.Wait() // nobody has all of it before everybody has most of it
		w.Write([]byte("x"))
	}))
	c := n.client(t)
	var wg sync.WaitGroup
	var whole, refused atomic.Int64
	for range requests {
		wg.Go(func() {
			switch res, err := get(c, fetchArgs{URL: "http://a.example/"}); {
			case err == nil && len(res.body) == maxBody:
				whole.Add(1)
			case reason(err) == "HELPER_RUNTIME too-many-bodies":
				refused.Add(1)
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if whole.Load() == 0 || refused.Load() == 0 {
		t.Errorf("%d whole, %d refused", whole.Load(), refused.Load())
	}
	if left := c.bodies.Load(); left != 0 {
		t.Errorf("%d bytes are still counted", left)
	}
}

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

func TestText(t *testing.T) {
	for _, tc := range []struct{ contentType, body, want string }{
		{"text/plain", "grüße", "grüße"},
		{"", "\xef\xbb\xbfx", "x"},
		{"text/html; charset=euc-kr", "\xc7\xd1\xb1\xdb", "한글"},
		{"text/html; charset=iso-8859-1", "\xe9", "é"},
		{"text/plain; charset=utf-8", "a\xffb", "a\uFFFDb"},
		{"text/plain; charset=nonsense", "ü", "ü"},
		{"no/type; =", "ü", "ü"},
		{"text/plain; charset=utf-16", "\xff\xfea\x00", "a"},
		{"text/plain", "", ""},
	} {
		got, _, err := Text(t.Context(), []byte(tc.contentType), []byte(tc.body))
		if err != nil || string(got) != tc.want {
			t.Errorf("%q as %s: %q, %v", tc.body, tc.contentType, got, err)
		}
	}
	for body, want := range map[string]string{`{"a":[1,"x"]}`: "", "": "HELPER_RUNTIME invalid-json", "{": "HELPER_RUNTIME invalid-json", "\xef\xbb\xbf1": ""} {
		if _, _, err := JSON(t.Context(), nil, []byte(body)); reason(err) != want {
			t.Errorf("%q: %v", body, err)
		}
	}
}
