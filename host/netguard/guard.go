package netguard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"time"
)

// Resolve returns every address of a name. The name is lower-case ASCII without
// a final dot.
type Resolve func(ctx context.Context, name string) ([]netip.Addr, error)

// Dial connects to one address. It is never given a name, so it cannot resolve
// one a second time.
type Dial func(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error)

// Reason is the stable word for why something was refused.
type Reason string

const (
	UnsupportedScheme Reason = "unsupported-scheme"    // neither http nor https
	MissingHost       Reason = "missing-host"          // a URL without a host
	InvalidURL        Reason = "invalid-url"           // a host or port that is none
	HostNotAllowed    Reason = "host-not-in-allowlist" //
	HostDenied        Reason = "host-in-denylist"      //
	LiteralPrivate    Reason = "literal-private-ip"    // a spelled-out special-purpose address
	ResolvedPrivate   Reason = "resolved-private-ip"   // a name with a special-purpose address among its answers
	NotResolved       Reason = "dns-resolution-failed" //
	NoAddresses       Reason = "dns-no-addresses"      //
	PortNotAllowed    Reason = "port-not-allowed"      // a port of another protocol
	UserInfo          Reason = "userinfo-not-allowed"  // https://user:secret@host/
)

// Refusal is the error for every request a guard blocks. Its text is safe to show the
// caller: it never holds an address that the caller did not spell.
type Refusal struct {
	Reason Reason
	Host   string // as the asker wrote it, in its one spelling
	// Range names the special-purpose range of a refused address, and Cause is
	// what the resolver said. Both are for the operator's log.
	Range string
	Cause error
}

func (r *Refusal) Error() string {
	if r.Host == "" {
		return string(r.Reason)
	}
	return fmt.Sprintf("%s: %s", r.Reason, r.Host)
}

func (r *Refusal) Unwrap() error { return r.Cause }

// Guard admits requests to the hosts of one list. The zero Guard admits none. A Guard
// is safe for concurrent use and must not change after its first use.
type Guard struct {
	Resolve Resolve
	Dial    Dial
	// Hosts are allowed; Denied are excluded from them.
	Hosts  HostSet
	Denied HostSet
	// Private switches the address and port checks off: every address of an
	// allowed host will do, the machine's own included.
	Private bool
	// ConnectTimeout bounds the resolving and the dialling of one connection;
	// zero means 5 seconds.
	ConnectTimeout time.Duration
}

const (
	defaultConnectTimeout = 5 * time.Second
	// maxAttempts is how many addresses of one answer are tried.
	maxAttempts = 6
)

// CheckURL refuses what can be refused without any I/O and returns the host.
func (g *Guard) CheckURL(u *url.URL) (Host, error) {
	if u.Scheme != "http" && u.Scheme != "https" {
		return Host{}, &Refusal{Reason: UnsupportedScheme}
	}
	if u.Hostname() == "" {
		return Host{}, &Refusal{Reason: MissingHost}
	}
	h, err := ParseHost(u.Hostname())
	if err != nil {
		return Host{}, &Refusal{Reason: InvalidURL, Cause: err}
	}
	if err := g.checkHost(h); err != nil {
		return Host{}, err
	}
	if u.User != nil {
		return Host{}, &Refusal{Reason: UserInfo, Host: h.String()}
	}
	if p := u.Port(); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n == 0 {
			return Host{}, &Refusal{Reason: InvalidURL, Host: h.String(), Cause: err}
		}
		if !g.Private && badPorts[uint16(n)] {
			return Host{}, &Refusal{Reason: PortNotAllowed, Host: h.String()}
		}
	}
	return h, nil
}

func (g *Guard) checkHost(h Host) error {
	if g.Denied.Has(h) {
		return &Refusal{Reason: HostDenied, Host: h.String()}
	}
	if !g.Hosts.Has(h) {
		return &Refusal{Reason: HostNotAllowed, Host: h.String()}
	}
	if a, ok := h.Addr(); ok && !g.Private {
		if name, special := Special(a); special {
			return &Refusal{Reason: LiteralPrivate, Host: h.String(), Range: name}
		}
	}
	return nil
}

// DialContext connects to "host:port". It fits http.Transport and net.Dialer's
// users; the address dialled is one that was checked in this same call.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	hostText, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &Refusal{Reason: InvalidURL, Cause: err}
	}
	h, err := ParseHost(hostText)
	if err != nil {
		return nil, &Refusal{Reason: InvalidURL, Cause: err}
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return nil, &Refusal{Reason: InvalidURL, Host: h.String(), Cause: err}
	}
	if err := g.checkHost(h); err != nil {
		return nil, err
	}
	timeout := g.ConnectTimeout
	if timeout <= 0 {
		timeout = defaultConnectTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	addrs, err := g.addresses(ctx, h)
	if err != nil {
		return nil, err
	}
	return g.dialFirst(ctx, network, addrs, uint16(port))
}

// addresses returns all addresses of a host, or a refusal when one of them is
// special-purpose: an answer that mixes public and private addresses is an
// attack, not a choice.
func (g *Guard) addresses(ctx context.Context, h Host) ([]netip.Addr, error) {
	if a, ok := h.Addr(); ok {
		return []netip.Addr{a}, nil
	}
	addrs, err := g.Resolve(ctx, h.name)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &Refusal{Reason: NotResolved, Host: h.name, Cause: err}
	}
	if len(addrs) == 0 {
		return nil, &Refusal{Reason: NoAddresses, Host: h.name}
	}
	checked := make([]netip.Addr, len(addrs))
	for i, a := range addrs {
		if name, special := Special(a); special && !g.Private {
			return nil, &Refusal{Reason: ResolvedPrivate, Host: h.name, Range: name}
		}
		checked[i] = a.Unmap()
	}
	return checked, nil
}

// dialFirst tries the addresses in turn. Each gets an equal share of the time
// that is left, so that one that never answers does not use all of it up.
func (g *Guard) dialFirst(ctx context.Context, network string, addrs []netip.Addr, port uint16) (net.Conn, error) {
	addrs = addrs[:min(len(addrs), maxAttempts)]
	var failed []error
	for i, a := range addrs {
		deadline, _ := ctx.Deadline()
		share := time.Until(deadline) / time.Duration(len(addrs)-i)
		attempt, cancel := context.WithTimeout(ctx, share)
		conn, err := g.Dial(attempt, network, netip.AddrPortFrom(a, port))
		cancel()
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(failed...)
}
