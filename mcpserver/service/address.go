package service

import (
	"cmp"
	"net"
	"strconv"

	"github.com/glovebox-run/glovebox/mcpserver/config"
)

// address returns the URL under which clients reach a listener. One that listens on all
// addresses has none itself: then it is the first name that the operator has given, or an
// address of this machine that others reach.
func address(l *config.Loaded, on *net.TCPAddr, interfaces func() ([]net.Addr, error)) string {
	scheme, host := "http", on.IP.String()
	if l.TLS.On() {
		scheme = "https"
	}
	names := append(append([]string{}, l.TLS.Names...), l.Hosts...)
	switch {
	case len(names) > 0 && (l.TLS.On() || on.IP.IsUnspecified()):
		host = names[0]
	case on.IP.IsUnspecified():
		host = cmp.Or(reached(interfaces), "127.0.0.1")
	}
	if scheme == "https" && on.Port == 443 {
		return scheme + "://" + host + "/mcp"
	}
	return scheme + "://" + net.JoinHostPort(host, strconv.Itoa(on.Port)) + "/mcp"
}

// reached returns an address of this machine that others reach, IPv4 before IPv6; empty if
// there is none.
func reached(interfaces func() ([]net.Addr, error)) (six string) {
	all, err := interfaces()
	if err != nil {
		return ""
	}
	for _, a := range all {
		n, ok := a.(*net.IPNet)
		if !ok || !n.IP.IsGlobalUnicast() {
			continue
		}
		if n.IP.To4() != nil {
			return n.IP.String()
		}
		six = cmp.Or(six, n.IP.String())
	}
	return six
}
