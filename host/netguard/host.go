package netguard

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Host is where a URL points: a name or an address. The zero Host points
// nowhere.
type Host struct {
	name string     // lower-case ASCII without the final dot; empty for an address
	addr netip.Addr // unmapped; invalid for a name
}

// Addr returns the spelled-out address, if the host is one.
func (h Host) Addr() (netip.Addr, bool) { return h.addr, h.addr.IsValid() }

// String returns the host in its one spelling, without brackets.
func (h Host) String() string {
	if h.addr.IsValid() {
		return h.addr.String()
	}
	return h.name
}

// maxHost is the longest name that DNS can carry (RFC 1035), in bytes.
const maxHost = 253

// names maps what people type to what DNS holds: UTS 46, non-transitional, as
// browsers do. Underscores stay legal because real host names have them.
var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckJoiners(true), idna.StrictDomainName(false))

var (
	errEmptyHost = errors.New("no host")
	errLongHost  = errors.New("host name is longer than DNS allows")
	errHostChars = errors.New("host name has characters that no host name has")
	errHostLabel = errors.New("host name has an empty or over-long label")
	errIPv4      = errors.New("host looks like an IPv4 address and is none")
	errIPv6      = errors.New("host is not an IPv6 address")
)

// ParseHost reads the host of a URL, with or without brackets. Every spelling
// of IPv4 that a resolver would accept (127.1, 0x7f000001, 0177.0.0.1, full-width
// digits, a final dot) becomes the address it means, as in the WHATWG URL
// standard, so that no later stage reads it differently.
func ParseHost(s string) (Host, error) {
	if s == "" {
		return Host{}, errEmptyHost
	}
	if inner, ok := strings.CutPrefix(s, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if !ok || !strings.Contains(inner, ":") {
			return Host{}, errIPv6
		}
		s = inner
	}
	if strings.Contains(s, ":") {
		a, err := netip.ParseAddr(s)
		if err != nil {
			return Host{}, errIPv6
		}
		return Host{addr: a.Unmap()}, nil
	}
	if len(s) > 4*maxHost { // before any mapping is paid for
		return Host{}, errLongHost
	}
	name, err := asciiName(s)
	if err != nil {
		return Host{}, err
	}
	name = strings.TrimSuffix(name, ".")
	if len(name) > maxHost {
		return Host{}, errLongHost
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return Host{}, errHostLabel
		}
	}
	if last := name[strings.LastIndexByte(name, '.')+1:]; isNumber(last) {
		a, ok := parseIPv4(name)
		if !ok {
			return Host{}, errIPv4
		}
		return Host{addr: a}, nil
	}
	return Host{name: name}, nil
}

// asciiName lower-cases a name and maps one that is not plain ASCII.
func asciiName(s string) (string, error) {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < 0x80
	}
	s = strings.ToLower(s)
	if !plain || strings.Contains(s, "xn--") {
		mapped, err := names.ToASCII(s)
		if err != nil {
			return "", errHostChars
		}
		s = mapped
	}
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.') {
			return "", errHostChars
		}
	}
	return s, nil
}

// isNumber reports whether a last label makes the whole host an IPv4 address:
// digits, or hexadecimal with 0x.
func isNumber(label string) bool {
	digits, hex := strings.CutPrefix(label, "0x")
	for i := 0; i < len(digits); i++ {
		c := digits[i]
		if !('0' <= c && c <= '9' || hex && 'a' <= c && c <= 'f') {
			return false
		}
	}
	return hex || digits != ""
}

// parseIPv4 reads one to four numbers, each decimal, octal (0...) or
// hexadecimal (0x...); the last one fills the bytes that are left.
func parseIPv4(s string) (netip.Addr, bool) {
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var sum uint64
	for i, part := range parts {
		n, ok := parseNumber(part)
		if !ok {
			return netip.Addr{}, false
		}
		if i < len(parts)-1 {
			if n > 0xff {
				return netip.Addr{}, false
			}
			sum |= n << (8 * (3 - i))
			continue
		}
		if n >= 1<<(8*(4-i)) {
			return netip.Addr{}, false
		}
		sum |= n
	}
	return netip.AddrFrom4([4]byte{byte(sum >> 24), byte(sum >> 16), byte(sum >> 8), byte(sum)}), true
}

func parseNumber(s string) (uint64, bool) {
	base := 10
	switch {
	case s == "0x":
		return 0, true
	case strings.HasPrefix(s, "0x"):
		s, base = s[2:], 16
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	if s == "" || s[0] == '+' || s[0] == '-' {
		return 0, false
	}
	n, err := strconv.ParseUint(s, base, 64)
	return n, err == nil
}
