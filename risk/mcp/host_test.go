package mcp

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
)

func TestHostClassOfOddSpellings(t *testing.T) {
	for _, tc := range []struct {
		url  string
		want HostClass
	}{
		{"http://127.0.0.2/", Loopback},
		{"http://127.255.255.255/", Loopback},
		{"http://127.1/", Loopback},
		{"http://2130706433/", Loopback},
		{"http://0x7f.1/", Loopback},
		{"http://0X7F000001/", Loopback},
		{"http://0177.0.0.1/", Loopback},
		{"http://127.0.0.1./", Loopback},
		{"http://localhost./", Loopback},
		{"http://api.LOCALHOST:80/", Loopback},
		{"http://[::ffff:127.0.0.1]/", Loopback},
		{"http://[::ffff:7f00:1]/", Loopback},
		{"http://[::127.0.0.1]/", Loopback},
		{"http://[64:ff9b::127.0.0.1]/", Loopback},
		{"http://１２７。０。０。１/", Loopback},
		{"http://[0:0:0:0:0:0:0:1]/", Loopback},
		{"http://100.64.0.1/", PrivateLAN},
		{"http://[::ffff:10.0.0.1]/", PrivateLAN},
		{"http://[2002:0a00:0001::1]/", PrivateLAN},
		{"http://[fe80::1%25eth0]/", PrivateLAN},
		{"http://[fd12:3456::1]/", PrivateLAN},
		{"http://0.0.0.0:8282/", PrivateLAN},
		{"http://[::]/", PrivateLAN},
		{"http://10.1/", PrivateLAN},
		{"http://198.19.255.255/", PrivateLAN},
		{"http://[fec0::1]/", PrivateLAN},
		{"http://router.lan/", PrivateLAN},
		{"http://pi.home.arpa./", PrivateLAN},
		{"http://wiki.intranet/", PrivateLAN},
		{"http://git.corp/", PrivateLAN},
		{"http://tv.home/", PrivateLAN},
		{"http://printer/", PrivateLAN},
		{"http://nas.local/", PrivateLAN},
		{"http://metadata.google.internal/", PrivateLAN},
		{"http://10.999.1.1/", Public},
		{"http://127.0.0.1@evil.example/", Public},
		{"http://127.0.0.1.evil.example/", Public},
		{"http://localhost.evil.example/", Public},
		{"http://256.0.0.1/", Public},
		{"http://100.128.0.1/", Public},
		{"http://[2001:db8::1]/", Public},
		{"127.0.0.1:8080/mcp", Public},
		{"", Public},
		{"http://", Public},
		{"http://xn--" + strings.Repeat("a", 1<<20) + "/", Public},
		{"http://" + strings.Repeat("a.", 200) + "local/", Public},
		{"http://evil.example\\@127.0.0.1/", Public}, // clients disagree about the backslash
	} {
		if got := ClassifyHost(Default, StreamableHTTP, tc.url); got != tc.want {
			t.Errorf("%.80s: got %v, want %v", tc.url, got, tc.want)
		}
	}
}

func TestHostClassOfTheReference(t *testing.T) {
	for _, tc := range []struct {
		url  string
		want HostClass
	}{
		{"http://127.0.0.2/", Public},
		{"http://[::ffff:127.0.0.1]/", Public},
		{"http://100.64.0.1/", Public},
		{"http://nas.local/", Public},
		{"http://172.32.0.1/", Public},
		{"http://10.999.1.1/", PrivateLAN},
		{"http://[fd12::1]/", PrivateLAN},
		{"http://[febf::1]/", PrivateLAN},
		{"http://fcbarcelona.example/", Public},
		{" HTTP://api.LocalHost:80/ ", Loopback},
		{"http://user@127.0.0.1:port/mcp", Loopback}, // no URL, but it has a host to it
		{"http://[::1]:port/", Loopback},
		{"http://10.0.0.1 /", PrivateLAN},
		{"localhost:8080/mcp", Public},
	} {
		if got := ClassifyHost(Reference, StreamableHTTP, tc.url); got != tc.want {
			t.Errorf("%.80s: got %v, want %v", tc.url, got, tc.want)
		}
	}
}

func TestHostClassAgreesWithNetip(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var b [4]byte
		for i := range b {
			b[i] = []byte{10, 127, 169, 254, 172, 16, 31, 192, 168, 100, 64, byte(random.IntN(256))}[random.IntN(12)]
		}
		addr := netip.AddrFrom4(b)
		got := ClassifyHost(Default, SSE, "http://"+addr.String()+"/")
		mapped := ClassifyHost(Default, SSE, "http://["+netip.AddrFrom16(addr.As16()).String()+"]/")
		number := ClassifyHost(Default, SSE, fmt.Sprintf("http://%d/", uint32(b[0])<<24|uint32(b[1])<<16|uint32(b[2])<<8|uint32(b[3])))
		if got != mapped || got != number {
			t.Fatalf("%v: %v, mapped %v, as a number %v", addr, got, mapped, number)
		}
		if (got == Loopback) != addr.IsLoopback() {
			t.Fatalf("%v: got %v", addr, got)
		}
		if (addr.IsPrivate() || addr.IsLinkLocalUnicast()) && got != PrivateLAN {
			t.Fatalf("%v: got %v", addr, got)
		}
	}
}
