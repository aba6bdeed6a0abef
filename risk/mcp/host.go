package mcp

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Transport is how a server is reached. The zero value is unknown and is treated
// like a remote one.
type Transport uint8

const (
	TransportUnknown Transport = iota
	STDIO
	StreamableHTTP
	SSE
)

var transportNames = [...]string{"unknown", "stdio", "streamable_http", "sse"}

// String returns the transport's name in lower case.
func (t Transport) String() string { return nameOf(transportNames[:], uint8(t)) }

// ParseTransport reads a transport in any case; "-" counts as "_".
func ParseTransport(s string) (Transport, error) {
	i, err := parseName("transport", transportNames[:], s)
	return Transport(i), err
}

// MarshalText writes the transport as String does.
func (t Transport) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what ParseTransport reads.
func (t *Transport) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTransport(string(text))
	return err
}

// HostClass is where a server runs as seen from here. The zero value is Public, the
// class with no benefit of the doubt.
type HostClass uint8

const (
	Public HostClass = iota
	PrivateLAN
	Loopback
	Stdio // a child process, no host at all
)

var hostClassNames = [...]string{"public", "private_lan", "loopback", "stdio"}

// String returns the class in lower case, such as "private_lan".
func (c HostClass) String() string { return nameOf(hostClassNames[:], uint8(c)) }

// MarshalText writes the class as String does.
func (c HostClass) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Local reports whether only this machine is involved.
func (c HostClass) Local() bool { return c == Stdio || c == Loopback }

// ClassifyHost returns the class of a server's host. It resolves no names, so a
// public name that resolves to a private address is public here, and the dialer must
// refuse it.
func ClassifyHost(p Profile, t Transport, rawURL string) HostClass {
	if t == STDIO {
		return Stdio
	}
	host := hostOf(p, rawURL)
	if host == "" {
		return Public
	}
	if p == Reference {
		return referenceHostClass(host)
	}
	return hostClass(host)
}

// hostOf returns the host of a URL in lower case without brackets, or "". Only
// the reference also reads a text that is not a URL: clients disagree about what
// http://a\@b means, so for us it has no host.
func hostOf(p Profile, rawURL string) string {
	rawURL = strings.TrimSpace(rawURL)
	host := ""
	if u, err := url.Parse(rawURL); err == nil {
		host = u.Hostname()
	}
	if host == "" && p == Reference {
		host = looseHost(rawURL)
	}
	return strings.ToLower(strings.TrimSpace(host))
}

// looseHost reads the host from a text that is not quite a URL: the part between
// "://" and "/", after "@", without the port.
func looseHost(rawURL string) string {
	_, rest, _ := strings.Cut(rawURL, "://")
	rest, _, _ = strings.Cut(rest, "/")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	if inner, ok := strings.CutPrefix(rest, "["); ok {
		inner, _, _ = strings.Cut(inner, "]")
		return inner
	}
	rest, _, _ = strings.Cut(rest, ":")
	return rest
}

// The reference compares text and checks no ranges: 10.999.1.1 is private to it.
var referencePrivate = regexp.MustCompile(`^(10\.\d{1,3}\.\d{1,3}\.\d{1,3}` +
	`|192\.168\.\d{1,3}\.\d{1,3}` +
	`|172\.(1[6-9]|2\d|3[01])\.\d{1,3}\.\d{1,3}` +
	`|169\.254\.\d{1,3}\.\d{1,3})$` +
	`|^f[cd][0-9a-f]{0,2}:|^fe[89ab][0-9a-f]?:`)

func referenceHostClass(host string) HostClass {
	switch {
	case host == "127.0.0.1", host == "::1", host == "localhost", strings.HasSuffix(host, ".localhost"):
		return Loopback
	case referencePrivate.MatchString(host):
		return PrivateLAN
	}
	return Public
}

// hostRange is one row of the table that classes addresses.
type hostRange struct {
	prefix netip.Prefix
	class  HostClass
	why    string
}

var hostRanges = []hostRange{
	{netip.MustParsePrefix("127.0.0.0/8"), Loopback, "RFC 1122 loopback"},
	{netip.MustParsePrefix("::1/128"), Loopback, "RFC 4291 loopback"},
	{netip.MustParsePrefix("10.0.0.0/8"), PrivateLAN, "RFC 1918"},
	{netip.MustParsePrefix("172.16.0.0/12"), PrivateLAN, "RFC 1918"},
	{netip.MustParsePrefix("192.168.0.0/16"), PrivateLAN, "RFC 1918"},
	{netip.MustParsePrefix("169.254.0.0/16"), PrivateLAN, "RFC 3927 link-local"},
	{netip.MustParsePrefix("100.64.0.0/10"), PrivateLAN, "RFC 6598 carrier-grade NAT"},
	{netip.MustParsePrefix("198.18.0.0/15"), PrivateLAN, "RFC 2544 test networks"},
	// Not assigned to any host, yet dialling 0.0.0.0 or :: reaches this machine. It
	// is not classed as loopback: a spelling that hides this earns no lower risk.
	{netip.MustParsePrefix("0.0.0.0/8"), PrivateLAN, "RFC 1122 this network"},
	{netip.MustParsePrefix("::/128"), PrivateLAN, "RFC 4291 unspecified"},
	{netip.MustParsePrefix("fc00::/7"), PrivateLAN, "RFC 4193 unique local"},
	{netip.MustParsePrefix("fe80::/10"), PrivateLAN, "RFC 4291 link-local"},
	{netip.MustParsePrefix("fec0::/10"), PrivateLAN, "RFC 3879 site-local"},
}

// localSuffixes are the endings of names that only a private network resolves.
var localSuffixes = []string{".local", ".internal", ".lan", ".home.arpa", ".intranet", ".corp", ".home"}

// maxHost is the longest name that DNS knows, in bytes. Mapping a longer one to
// ASCII would take quadratic time.
const maxHost = 253

func hostClass(host string) HostClass {
	host = strings.TrimSuffix(host, ".")
	if len(host) > maxHost {
		return Public
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return addrClass(addr.WithZone(""))
	}
	// The mapping that HTTP clients apply turns 127。0。0。1 into 127.0.0.1. On an error
	// it returns the host as far as it was mapped.
	ascii, _ := idna.Lookup.ToASCII(host)
	ascii = strings.TrimSuffix(ascii, ".")
	if addr, ok := looseIPv4(ascii); ok {
		return addrClass(addr)
	}
	if ascii == "localhost" || strings.HasSuffix(ascii, ".localhost") {
		return Loopback
	}
	if !strings.ContainsAny(ascii, ".:") {
		return PrivateLAN // a single label is looked up on the local network
	}
	for _, suffix := range localSuffixes {
		if strings.HasSuffix(ascii, suffix) {
			return PrivateLAN
		}
	}
	return Public
}

func addrClass(addr netip.Addr) HostClass {
	addr = addr.Unmap()
	if inner, ok := embeddedIPv4(addr); ok {
		addr = inner
	}
	for _, r := range hostRanges {
		if r.prefix.Contains(addr) {
			return r.class
		}
	}
	return Public
}

var (
	nat64      = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour  = netip.MustParsePrefix("2002::/16")
	compatible = netip.MustParsePrefix("::/96")
)

// embeddedIPv4 returns the IPv4 address that a translation prefix carries.
func embeddedIPv4(addr netip.Addr) (netip.Addr, bool) {
	b := addr.As16()
	switch {
	case nat64.Contains(addr):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	case sixToFour.Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6])), true
	case compatible.Contains(addr) && (b[12] != 0 || b[13] != 0):
		return netip.AddrFrom4([4]byte(b[12:16])), true
	}
	return netip.Addr{}, false
}

// looseIPv4 reads the spellings that inet_aton accepts and HTTP clients pass on:
// one to four parts, each decimal, octal (leading 0) or hexadecimal (0x), the
// last one filling what is left.
func looseIPv4(host string) (netip.Addr, bool) {
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (5 - len(parts))
		}
		// Base 0 would also read 0b1 and 1_0, which no client does.
		base, digits := 10, part
		if hex, ok := strings.CutPrefix(part, "0x"); ok {
			base, digits = 16, hex
		} else if len(part) > 1 && part[0] == '0' {
			base, digits = 8, part[1:]
		}
		n, err := strconv.ParseUint(digits, base, bits)
		if err != nil {
			return netip.Addr{}, false
		}
		value = value<<bits | n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}

func nameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return names[0]
}

// parseName finds s among names in any case, with "-" for "_"; empty is the
// first name.
func parseName(what string, names []string, s string) (uint8, error) {
	folded := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "-", "_")
	if folded == "" {
		return 0, nil
	}
	for i, name := range names {
		if folded == name {
			return uint8(i), nil
		}
	}
	return 0, fmt.Errorf("%s %q: want one of %s", what, s, strings.Join(names, ", "))
}
