package netguard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-run/glovebox/internal/dnstest"
)

func hostSet(t testing.TB, patterns ...string) HostSet {
	t.Helper()
	set, err := ParseHostSet(patterns)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestHostSet(t *testing.T) {
	set := hostSet(t, "API.example.com", "*.wild.example", "8.8.8.8", "[2001:db8::1]", "bücher.example")
	for name, want := range map[string]bool{
		"api.example.com": true, "API.EXAMPLE.COM.": true, "x.api.example.com": false, "example.com": false, "api.example.com.evil.example": false,
		"wild.example": true, "a.wild.example": true, "a.b.wild.example": true, "notwild.example": false, "wild.example.org": false,
		"8.8.8.8": true, "8.8.2056": true, "2001:db8::1": true, "8.8.4.4": false, "xn--bcher-kva.example": true,
	} {
		h, err := ParseHost(name)
		if err != nil {
			t.Fatal(err)
		}
		if set.Has(h) != want {
			t.Errorf("Has(%s) is not %v", name, want)
		}
	}
	for _, bad := range []string{"", "*.", "a.*.b", "https://x.example", "x.example:443", "*x.example", "*.1.2.3.4"} {
		if _, err := ParseHostSet([]string{"ok.example", bad}); err == nil {
			t.Errorf("pattern %q was taken", bad)
		}
	}
	if (HostSet{}).Has(Host{name: "x"}) || AnyHost().Has(Host{}) {
		t.Error("a zero value has or is a member")
	}
}

func TestCheckURL(t *testing.T) {
	listed := &Guard{Hosts: hostSet(t, "api.example.com", "127.0.0.1"), Denied: hostSet(t, "*.evil.example")}
	strict := &Guard{Hosts: AnyHost(), Denied: hostSet(t, "*.evil.example")}
	open := &Guard{Hosts: AnyHost(), Private: true}
	for _, tc := range []struct {
		guard *Guard
		url   string
		want  Reason
	}{
		{listed, "https://api.example.com/x", ""},
		{listed, "https://API.example.com.:8443/x", ""},
		{listed, "https://evil.example/", HostDenied},
		{listed, "https://other.example/", HostNotAllowed},
		{listed, "https://api.example.com@other.example/", HostNotAllowed},
		{listed, "https://user:pw@api.example.com/", UserInfo},
		{listed, "http://127.0.0.1:9/", LiteralPrivate},
		{listed, "http://2130706433/", LiteralPrivate},
		{strict, "ftp://a.example/", UnsupportedScheme},
		{strict, "/relative", UnsupportedScheme},
		{strict, "http:///path", MissingHost},
		{strict, "http://:80/", MissingHost},
		{strict, "http://1.2.3.4.5/", InvalidURL},
		{strict, "http://a.example:0/", InvalidURL},
		{strict, "http://a.example:70000/", InvalidURL},
		{strict, "http://a.example:22/", PortNotAllowed},
		{strict, "http://a.example:8080/", ""},
		{strict, "http://[fe80::1%25eth0]/", LiteralPrivate},
		{open, "http://127.0.0.1:22/", ""},
		{open, "file:///etc/passwd", UnsupportedScheme},
		{&Guard{}, "https://a.example/", HostNotAllowed},
	} {
		u, err := url.Parse(tc.url)
		if err != nil {
			t.Fatal(err)
		}
		_, err = tc.guard.CheckURL(u)
		var r *Refusal
		if got := Reason(""); errors.As(err, &r) {
			if got = r.Reason; got != tc.want {
				t.Errorf("%s: %s, want %q", tc.url, got, tc.want)
			}
		} else if tc.want != "" {
			t.Errorf("%s: passed, want %s", tc.url, tc.want)
		}
	}
}

// loopback is a dial function that takes every connection to one server and
// remembers the address that was asked for.
type loopback struct {
	to    string
	mu    sync.Mutex
	asked []netip.Addr
}

func (l *loopback) dial(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
	l.mu.Lock()
	l.asked = append(l.asked, to.Addr())
	l.mu.Unlock()
	var d net.Dialer
	return d.DialContext(ctx, network, l.to)
}

func reasonOf(err error) Reason {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Reason
	}
	return ""
}

func TestTheDialledAddressIsTheCheckedOne(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) }))
	defer server.Close()
	public, private := netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("127.0.0.1")
	// The name turns private as soon as it has been asked for once.
	dns := dnstest.Start(t, func(name string, n int64) dnstest.Answer {
		if n <= 2 { // A and AAAA of the first look-up
			return dnstest.Answer{Addrs: []netip.Addr{public}}
		}
		return dnstest.Answer{Addrs: []netip.Addr{private}}
	})
	net := &loopback{to: server.Listener.Addr().String()}
	guard := &Guard{Resolve: dns.Resolve, Dial: net.dial, Hosts: AnyHost()}
	transport := guard.Transport(nil)
	defer transport.CloseIdleConnections()
	get := func() error {
		req := httptest.NewRequest("GET", "http://rebind.example/", nil)
		req.RequestURI, req.Close = "", true
		res, err := transport.RoundTrip(req)
		if err == nil {
			io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
		return err
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	if got := reasonOf(get()); got != ResolvedPrivate {
		t.Errorf("after rebinding: %q", got)
	}
	if len(net.asked) != 1 || net.asked[0] != public {
		t.Errorf("dialled %v", net.asked)
	}
	if n := dns.Questions(); n != 4 {
		t.Errorf("%d questions for two requests, want 4 (A and AAAA each)", n)
	}
}

func TestEveryAddressOfTheAnswerCounts(t *testing.T) {
	answers := map[string][]string{
		"mixed.example": {"8.8.8.8", "10.0.0.5"}, "mixed6.example": {"8.8.8.8", "fd00::1"}, "mapped.example": {"::ffff:10.0.0.1"},
		"nat64.example": {"64:ff9b::a00:1"}, "6to4.example": {"2002:a00:1::"}, "meta.example": {"169.254.169.254"}, "empty.example": {},
	}
	dial := func(context.Context, string, netip.AddrPort) (net.Conn, error) { panic("dialled") }
	guard := &Guard{Hosts: AnyHost(), Dial: dial, Resolve: func(_ context.Context, name string) (addrs []netip.Addr, err error) {
		for _, s := range answers[name] {
			addrs = append(addrs, netip.MustParseAddr(s))
		}
		if answers[name] == nil {
			err = errors.New("no such host")
		}
		return addrs, err
	}}
	for name := range answers {
		want := ResolvedPrivate
		if name == "empty.example" {
			want = NoAddresses
		}
		_, err := guard.DialContext(t.Context(), "tcp", name+":80")
		if got := reasonOf(err); got != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
		if strings.ContainsAny(err.Error(), "0123456789") && !strings.ContainsAny(name, "0123456789") {
			t.Errorf("%q tells an address", err)
		}
	}
	if _, err := guard.DialContext(t.Context(), "tcp", "gone.example:80"); reasonOf(err) != NotResolved {
		t.Errorf("gone: %v", err)
	}
	for _, address := range []string{"127.0.0.1:80", "[::1]:80", "0x7f.1:80"} {
		if _, err := guard.DialContext(t.Context(), "tcp", address); reasonOf(err) != LiteralPrivate {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"a.example", "a.example:", "a.example:0", "a.example:http", "a b:80"} {
		if _, err := guard.DialContext(t.Context(), "tcp", address); reasonOf(err) != InvalidURL {
			t.Errorf("%s: %v", address, err)
		}
	}
	if _, err := (&Guard{}).DialContext(t.Context(), "tcp", "8.8.8.8:80"); reasonOf(err) != HostNotAllowed {
		t.Errorf("zero guard: %v", err)
	}
}

func TestMappedAnswersAreDialledAsWhatTheyAre(t *testing.T) {
	public := netip.MustParseAddr("8.8.8.8")
	net := &loopback{to: "127.0.0.1:1"}
	guard := &Guard{Hosts: AnyHost(), Dial: net.dial, Resolve: func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.AddrFrom16(public.As16())}, nil
	}}
	if conn, err := guard.DialContext(t.Context(), "tcp", "a.example:80"); err == nil {
		conn.Close()
	}
	if len(net.asked) != 1 || net.asked[0] != public {
		t.Errorf("dialled %v", net.asked)
	}
}

// What only the URL tells, the transport must look at: the connection knows
// nothing of schemes and credentials.
func TestTransportChecksURLs(t *testing.T) {
	guard := &Guard{Hosts: AnyHost(), Dial: func(context.Context, string, netip.AddrPort) (net.Conn, error) { return nil, errors.New("dialled") }}
	transport := guard.Transport(nil)
	for raw, want := range map[string]Reason{"http://u:p@8.8.8.8/": UserInfo, "http://8.8.8.8:22/": PortNotAllowed, "ftp://8.8.8.8/": UnsupportedScheme} {
		body := &closeCounter{}
		req, err := http.NewRequest("POST", raw, body)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transport.RoundTrip(req); reasonOf(err) != want {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
		if body.closed != 1 {
			t.Errorf("%s: the body was closed %d times", raw, body.closed)
		}
	}
}

type closeCounter struct {
	strings.Reader
	closed int
}

func (c *closeCounter) Close() error { c.closed++; return nil }

func TestLyingDNSServers(t *testing.T) {
	dns := dnstest.Start(t, func(name string, _ int64) dnstest.Answer {
		switch name {
		case "missing.example":
			return dnstest.Answer{Missing: true}
		case "garbage.example":
			return dnstest.Answer{Garbage: true}
		case "nothing.example":
			return dnstest.Answer{}
		}
		return dnstest.Answer{Silent: true}
	})
	guard := &Guard{Resolve: dns.Resolve, Hosts: AnyHost(), ConnectTimeout: 200 * time.Millisecond}
	for name, want := range map[string]string{
		"missing.example": string(NotResolved), "nothing.example": string(NotResolved),
		"garbage.example": "deadline", "silent.example": "deadline",
	} {
		_, err := guard.DialContext(t.Context(), "tcp", name+":80")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// One dead address must not use up the time of those after it.
func TestDeadAddressesShareTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		addrs := []netip.Addr{netip.MustParseAddr("8.8.8.1"), netip.MustParseAddr("8.8.8.2"), netip.MustParseAddr("8.8.8.3")}
		alive := addrs[2]
		guard := &Guard{
			Hosts:   AnyHost(),
			Resolve: func(context.Context, string) ([]netip.Addr, error) { return addrs, nil },
			Dial: func(ctx context.Context, _ string, to netip.AddrPort) (net.Conn, error) {
				if to.Addr() == alive {
					client, server := net.Pipe()
					server.Close()
					return client, nil
				}
				<-ctx.Done()
				return nil, ctx.Err()
			},
		}
		start := time.Now()
		conn, err := guard.DialContext(t.Context(), "tcp", "a.example:80")
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		if took := time.Since(start); took >= defaultConnectTimeout {
			t.Errorf("took %v", took)
		}
		alive = netip.Addr{}
		start = time.Now()
		if _, err = guard.DialContext(t.Context(), "tcp", "a.example:80"); err == nil {
			t.Error("connected to nobody")
		}
		if took := time.Since(start); took > defaultConnectTimeout {
			t.Errorf("took %v, more than the connect timeout", took)
		}
	})
}

// The answers change while requests run; no request may reach the private one.
func TestDNSRaceNeverDialsPrivate(t *testing.T) {
	private := netip.MustParseAddr("10.0.0.1")
	var mu sync.Mutex
	flip := false
	guard := &Guard{
		Hosts: AnyHost(),
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			mu.Lock()
			defer mu.Unlock()
			if flip = !flip; flip {
				return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
			}
			return []netip.Addr{private}, nil
		},
		Dial: func(_ context.Context, _ string, to netip.AddrPort) (net.Conn, error) {
			if to.Addr() == private {
				return nil, fmt.Errorf("dialled %v", to)
			}
			client, server := net.Pipe()
			server.Close()
			return client, nil
		},
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				conn, err := guard.DialContext(t.Context(), "tcp", "flip.example:443")
				if err == nil {
					conn.Close()
				} else if reasonOf(err) != ResolvedPrivate {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
