package service

import (
	"net"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/config"
)

// TestThePrintedAddressCanBeUsed: it is never that of all interfaces.
func TestThePrintedAddressCanBeUsed(t *testing.T) {
	on := func(text string) *net.TCPAddr {
		a, err := net.ResolveTCPAddr("tcp", text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	lan := func() ([]net.Addr, error) {
		var all []net.Addr
		for _, cidr := range []string{"127.0.0.1/8", "169.254.3.4/16", "fe80::1/64", "2001:db8::7/64", "192.168.1.20/24"} {
			ip, n, _ := net.ParseCIDR(cidr)
			all = append(all, &net.IPNet{IP: ip, Mask: n.Mask})
		}
		return all, nil
	}
	none := func() ([]net.Addr, error) { return nil, nil }
	for want, row := range map[string]struct {
		on         string
		hosts      []string
		tls        config.TLS
		interfaces func() ([]net.Addr, error)
	}{
		"http://127.0.0.1:8282/mcp":     {on: "127.0.0.1:8282", hosts: []string{"tools.example"}, interfaces: lan},
		"http://192.168.1.20:8282/mcp":  {on: "0.0.0.0:8282", interfaces: lan},
		"http://192.168.1.20:8283/mcp":  {on: "[::]:8283", interfaces: lan},
		"http://127.0.0.1:8284/mcp":     {on: "0.0.0.0:8284", interfaces: none},
		"http://tools.example:8282/mcp": {on: "0.0.0.0:8282", hosts: []string{"tools.example"}, interfaces: lan},
		"http://[2001:db8::7]:8282/mcp": {on: "[2001:db8::7]:8282", interfaces: lan},
		"https://tools.example/mcp":     {on: "0.0.0.0:443", tls: config.TLS{Names: []string{"tools.example"}}, interfaces: lan},
		"https://box.example:8443/mcp":  {on: "127.0.0.1:8443", hosts: []string{"box.example"}, tls: config.TLS{Certificate: "c"}, interfaces: lan},
		"https://192.168.1.20:8443/mcp": {on: "0.0.0.0:8443", tls: config.TLS{Certificate: "c"}, interfaces: lan},
	} {
		l := &config.Loaded{Config: config.Config{Hosts: row.hosts, TLS: row.tls}}
		if got := address(l, on(row.on), row.interfaces); got != want {
			t.Errorf("%s: %s, want %s", row.on, got, want)
		}
	}
}
