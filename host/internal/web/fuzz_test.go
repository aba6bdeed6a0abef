package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/internal/budgettest"
)

// FuzzDecode feeds the decoders whatever they like to eat. Nothing may panic,
// nothing may come out larger than the cap, and what gzip's own reader makes of
// the bytes must be what comes out.
func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "raw deflate", "br", "zstd"} {
		f.Add(strings.TrimPrefix(coding, "raw "), pack(f, coding, []byte("some text, some text")))
	}
	f.Add("gzip, br", pack(f, "br", pack(f, "gzip", []byte("x"))))
	f.Add("identity", []byte("x"))
	f.Fuzz(func(t *testing.T, coding string, body []byte) {
		res := &http.Response{Body: io.NopCloser(bytes.NewReader(body)), ContentLength: -1, Header: http.Header{"Content-Encoding": {coding}}}
		client := Client{}
		reading := &share{account: budgettest.Ample(), of: &client.bodies}
		got, err := readBody(res, reading)
		reading.close()
		if len(got) > maxBody || client.bodies.Load() != 0 {
			t.Fatalf("%d bytes came out, %d are counted", len(got), client.bodies.Load())
		}
		if err != nil {
			if client.failure(err) == nil || strings.HasPrefix(reason(client.failure(err)), "not for") {
				t.Fatalf("%v has no reason", err)
			}
			return
		}
		if coding == "gzip" && len(body) > 0 {
			r, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if want, err := io.ReadAll(r); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%q, want %q, %v", got, want, err)
			}
		}
	})
}

// slowlyPublicName is the oracle for strict mode: it takes plain names and
// nothing else, letter by letter. What it says no to may still be in order.
func slowlyPublicName(raw string) (host string, ok bool) {
	rest, found := strings.CutPrefix(raw, "http://")
	if !found {
		return "", false
	}
	host, _, _ = strings.Cut(rest, "/")
	if host == "" || len(host) > 60 || strings.Contains(host, "xn--") {
		return "", false
	}
	for _, label := range strings.Split(host, ".") {
		if label == "" || !('a' <= label[0] && label[0] <= 'z') {
			return "", false
		}
		for _, c := range label {
			if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-') {
				return "", false
			}
		}
	}
	labels := strings.Split(host, ".")
	return host, !strings.HasPrefix(labels[len(labels)-1], "0x")
}

// FuzzURL sends whatever URL passes the check and looks at where the connection
// would go: never to an address that is not public, and to the host that the
// check has named. Plain URLs must pass.
func FuzzURL(f *testing.F) {
	for _, u := range []string{
		"http://a.example/x", "http://127.1/", "http://[::1]:80/", "http://a.example@127.0.0.1/", "http://0x7f000001/", "http://a\\b/", "HTTP://A.EXAMPLE./%zz?q= #f",
		"http://a.example:99999/", "//a", "http://1.1.1.1/", "https://[64:ff9b::7f00:1]/", "http://xn--a/", "http://\u200b127.0.0.1/", "http://a%2eb/",
	} {
		f.Add(u)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var asked []string
		stop := func(_ context.Context, _ string, to netip.AddrPort) (net.Conn, error) {
			if name, special := netguard.Special(to.Addr()); special {
				t.Fatalf("%q dials %v (%s)", raw, to, name)
			}
			return nil, io.ErrClosedPipe
		}
		c := New(&netguard.Guard{Hosts: netguard.AnyHost(), Dial: stop, Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			asked = append(asked, name)
			return []netip.Addr{netip.MustParseAddr("9.9.9.9")}, nil
		}}, nil, func(string) {})
		defer c.Close()
		args, _ := json.Marshal(fetchArgs{URL: raw})
		_, _, checked := c.Check(t.Context(), budgettest.Ample(), args, nil)
		_, _, fetched := c.Fetch(t.Context(), budgettest.Ample(), args, nil)
		if checked != nil && reason(checked) != reason(fetched) {
			t.Fatalf("%q: check says %v, fetch %v", raw, checked, fetched)
		}
		if checked != nil && len(asked) > 0 {
			t.Fatalf("%q was refused and resolved as %q", raw, asked)
		}
		if host, plain := slowlyPublicName(raw); plain && !strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' || r == '%' }) {
			if checked != nil || !slices.Equal(asked, []string{host}) {
				t.Fatalf("%q: %v, resolved %q", raw, checked, asked)
			}
		}
	})
}

// FuzzRequest lets a tool choose every part of a request. What goes out must be
// one well-formed request with nothing smuggled into its head.
func FuzzRequest(f *testing.F) {
	f.Add("GET", "x-a", "1", "a?b=c d", "")
	f.Add("POST", "Content-Length", "0\r\nX: y", "\x00", "body")
	f.Add("G\x00T", "Host", "evil", "//b", "")
	f.Add("PUT", "Transfer-Encoding", "chunked", "a#b", "x")
	f.Fuzz(func(t *testing.T, method, name, value, path, body string) {
		args, _ := json.Marshal(fetchArgs{URL: "http://a.example/" + path, Method: method, Headers: [][2]string{{name, value}}, Body: &body})
		c := Client{guard: &netguard.Guard{Hosts: netguard.AnyHost()}}
		r, _, err := c.prepare(args, nil)
		if err != nil {
			return
		}
		req, err := http.NewRequest(r.method, r.url.String(), bytes.NewReader(r.body))
		if err != nil {
			t.Fatalf("%s %s: %v", r.method, r.url, err)
		}
		req.Header = r.header.Clone()
		var wire bytes.Buffer
		if err := req.Write(&wire); err != nil {
			t.Fatal(err)
		}
		head, _, _ := strings.Cut(wire.String(), "\r\n\r\n")
		lines := strings.Split(head, "\r\n")
		if words := strings.Split(lines[0], " "); len(words) != 3 || words[2] != "HTTP/1.1" {
			t.Fatalf("request line %q", lines[0])
		}
		hosts := 0
		for _, line := range lines[1:] {
			field, _, ok := strings.Cut(line, ": ")
			if !ok || strings.ContainsAny(line, "\r\n\x00") {
				t.Fatalf("line %q", line)
			}
			if strings.EqualFold(field, "Host") {
				hosts++
				if line != "Host: a.example" {
					t.Fatalf("line %q", line)
				}
			}
		}
		if hosts != 1 {
			t.Fatalf("%d hosts in %q", hosts, head)
		}
		if _, err := url.ParseRequestURI(strings.Split(lines[0], " ")[1]); err != nil {
			t.Fatal(err)
		}
	})
}
