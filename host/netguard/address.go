package netguard

import "net/netip"

// block is one range that no stranger's request may reach.
type block struct {
	prefix netip.Prefix
	name   string // the registry's own name for it
}

// blocks4 are the IANA IPv4 Special-Purpose Address Registry (RFC 6890 and its
// updates), the multicast space and the metadata addresses that lie in neither.
// Rows the registry calls globally reachable (anycast helpers, AS112) are in:
// no tool has business there, and a shorter rule has fewer holes.
var blocks4 = blocksOf(
	"0.0.0.0/8", "this network",
	"10.0.0.0/8", "private use",
	"100.64.0.0/10", "shared address space (carrier-grade NAT)",
	"127.0.0.0/8", "loopback",
	"168.63.129.16/32", "cloud metadata (Azure host)",
	"169.254.0.0/16", "link local",
	"172.16.0.0/12", "private use",
	"192.0.0.0/24", "IETF protocol assignments",
	"192.0.2.0/24", "documentation",
	"192.31.196.0/24", "AS112",
	"192.52.193.0/24", "AMT",
	"192.88.99.0/24", "6to4 relay anycast",
	"192.168.0.0/16", "private use",
	"192.175.48.0/24", "AS112",
	"198.18.0.0/15", "benchmarking",
	"198.51.100.0/24", "documentation",
	"203.0.113.0/24", "documentation",
	"224.0.0.0/4", "multicast",
	"240.0.0.0/4", "reserved",
	"255.255.255.255/32", "limited broadcast",
)

// blocks6 are the rows of the IANA IPv6 registry that lie inside 2000::/3. All
// that lies outside of it is refused without a row: IANA has allocated no other
// global unicast space (RFC 4291 section 2.4).
var blocks6 = blocksOf(
	"2001::/23", "IETF protocol assignments (Teredo, ORCHID, benchmarking)",
	"2001:db8::/32", "documentation",
	"2002::/16", "6to4",
	"2620:4f:8000::/48", "AS112",
	"3fff::/20", "documentation",
)

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	// nat64 carries an IPv4 address in its last four bytes (RFC 6052). Networks
	// without IPv4 reach the public IPv4 internet through it, so it is judged by
	// the address inside.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

func blocksOf(pairs ...string) []block {
	var all []block
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, block{netip.MustParsePrefix(pairs[i]), pairs[i+1]})
	}
	return all
}

// Special says whether an address is special-purpose, meaning that it is not
// certainly a public host, and the name of the range. The zero Addr is special.
func Special(a netip.Addr) (name string, special bool) {
	if !a.IsValid() {
		return "no address", true
	}
	if a.Zone() != "" {
		return "scoped address", true
	}
	a = a.Unmap()
	if a.Is4() {
		return find(blocks4, a)
	}
	if nat64.Contains(a) {
		b := a.As16()
		if name, special := find(blocks4, netip.AddrFrom4([4]byte(b[12:]))); special {
			return "NAT64 of " + name, true
		}
		return "", false
	}
	if !globalUnicast.Contains(a) {
		return outside(a), true
	}
	if isISATAP(a) {
		return "ISATAP tunnel", true
	}
	return find(blocks6, a)
}

func find(blocks []block, a netip.Addr) (string, bool) {
	for _, b := range blocks {
		if b.prefix.Contains(a) {
			return b.name, true
		}
	}
	return "", false
}

// outside names an IPv6 address that is not global unicast, for the log.
func outside(a netip.Addr) string {
	switch {
	case a.IsLoopback():
		return "loopback"
	case a.IsUnspecified():
		return "unspecified"
	case a.IsLinkLocalUnicast():
		return "link local"
	case a.IsPrivate():
		return "unique local"
	case a.IsMulticast():
		return "multicast"
	}
	return "not global unicast"
}

// isISATAP reports an interface identifier that tunnels to the IPv4 address in
// its last four bytes, whatever the prefix (RFC 5214 section 6.1).
func isISATAP(a netip.Addr) bool {
	b := a.As16()
	return (b[8] == 0 || b[8] == 2) && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
