package netguard

import (
	"math/big"
	"net/netip"
	"strconv"
	"strings"
	"testing"
)

// specialRanges restates the two registries as first and last address, so that a
// slip in a prefix length shows.
var specialRanges = [][2]string{
	{"0.0.0.0", "0.255.255.255"}, {"10.0.0.0", "10.255.255.255"}, {"100.64.0.0", "100.127.255.255"},
	{"127.0.0.0", "127.255.255.255"}, {"168.63.129.16", "168.63.129.16"}, {"169.254.0.0", "169.254.255.255"},
	{"172.16.0.0", "172.31.255.255"}, {"192.0.0.0", "192.0.0.255"}, {"192.0.2.0", "192.0.2.255"},
	{"192.31.196.0", "192.31.196.255"}, {"192.52.193.0", "192.52.193.255"}, {"192.88.99.0", "192.88.99.255"},
	{"192.168.0.0", "192.168.255.255"}, {"192.175.48.0", "192.175.48.255"}, {"198.18.0.0", "198.19.255.255"},
	{"198.51.100.0", "198.51.100.255"}, {"203.0.113.0", "203.0.113.255"}, {"224.0.0.0", "255.255.255.255"},

	{"::", "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"64:ff9b::1:0:0", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"},
	{"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"},
	{"4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
}

// slowlySpecial is the oracle: mapped and NAT64 addresses are unpacked as text
// and numbers compared.
func slowlySpecial(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return true
	}
	if a.Is6() {
		b := a.As16()
		hex := new(big.Int).SetBytes(b[:]).Text(16)
		hex = strings.Repeat("0", 32-len(hex)) + hex
		if strings.HasPrefix(hex, "00000000000000000000ffff") || strings.HasPrefix(hex, "0064ff9b0000000000000000") {
			return slowlySpecial(netip.AddrFrom4([4]byte(b[12:])))
		}
		if hex[16:24] == "00005efe" || hex[16:24] == "02005efe" {
			return true
		}
	}
	for _, r := range specialRanges {
		first, last := netip.MustParseAddr(r[0]), netip.MustParseAddr(r[1])
		if first.Is4() == a.Is4() && first.Compare(a) <= 0 && a.Compare(last) <= 0 {
			return true
		}
	}
	return false
}

func TestSpecialAtEveryEdge(t *testing.T) {
	for _, r := range specialRanges {
		first, last := netip.MustParseAddr(r[0]), netip.MustParseAddr(r[1])
		for _, a := range []netip.Addr{first.Prev(), first, first.Next(), last.Prev(), last, last.Next()} {
			if !a.IsValid() {
				continue // past the end of the address space
			}
			name, got := Special(a)
			if want := slowlySpecial(a); got != want || got != (name != "") {
				t.Errorf("Special(%v) = %q, %v; want %v", a, name, got, want)
			}
		}
	}
}

func TestSpecialKnownAddresses(t *testing.T) {
	for _, s := range []string{
		"169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd20:ce::254",
		"::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "64:ff9b::7f00:1", "64:ff9b:1::808:808", "2002:7f00:1::",
		"::127.0.0.1", "fec0::1", "ff02::1", "fe80::1%eth0", "8.8.8.8%x", "2a00:1450::5efe:a00:1", "2a00:1450::200:5efe:a00:1",
		"2001:0:4136:e378:8000:63bf:3fff:fdd2", "5f00::1", "100::1", "240.0.0.1", "255.255.255.255",
	} {
		a, err := netip.ParseAddr(s)
		if strings.HasPrefix(s, "8.8") {
			a, err = netip.MustParseAddr("::ffff:8.8.8.8").WithZone("x"), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, special := Special(a); !special {
			t.Errorf("%s is not special", s)
		}
	}
	for _, s := range []string{"8.8.8.8", "1.1.1.1", "100.128.0.1", "172.32.0.1", "2001:4860:4860::8888", "2a00:1450::1", "64:ff9b::808:808", "::ffff:8.8.8.8"} {
		if name, special := Special(netip.MustParseAddr(s)); special {
			t.Errorf("%s is special: %s", s, name)
		}
	}
	if _, special := Special(netip.Addr{}); !special {
		t.Error("the zero address is not special")
	}
}

func FuzzSpecial(f *testing.F) {
	for _, r := range specialRanges {
		a := netip.MustParseAddr(r[0]).As16()
		f.Add(a[:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, ok := netip.AddrFromSlice(b)
		if !ok {
			return
		}
		if name, got := Special(a); got != slowlySpecial(a) {
			t.Errorf("Special(%v) = %q, %v", a, name, got)
		}
	})
}

func TestParseHostSpellings(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1": "127.0.0.1", "127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "2130706433": "127.0.0.1",
		"0x7f000001": "127.0.0.1", "0X7F.1": "127.0.0.1", "0177.0.0.01": "127.0.0.1", "127.0.0.1.": "127.0.0.1",
		"１２７。０．０.１": "127.0.0.1", "①②⑦.0.0.1": "127.0.0.1", "0": "0.0.0.0", "0x": "0.0.0.0", "10.65535": "10.0.255.255",
		"[::1]": "::1", "::1": "::1", "[::ffff:127.0.0.1]": "127.0.0.1", "[0:0:0:0:0:FFFF:7F00:1]": "127.0.0.1", "[fe80::1%25eth0]": "fe80::1%25eth0",
		"Example.COM": "example.com", "example.com.": "example.com", "a_b.example": "a_b.example",
		"BÜCHER.example": "xn--bcher-kva.example", "faß.de": "xn--fa-hia.de", "xn--bcher-kva.example": "xn--bcher-kva.example",
		"1.example": "1.example", "0x7f.example": "0x7f.example",
	} {
		h, err := ParseHost(in)
		if err != nil || h.String() != want {
			t.Errorf("ParseHost(%q) = %v, %v; want %s", in, h, err, want)
		}
	}
	for _, in := range []string{
		"", ".", "..", "a..b", "example.com..", "1.2.3.4.5", "256.0.0.1", "1.256.1", "4294967296", "0x100000000", "08.0.0.1", "1.2.3.09",
		"exa mple.com", "a/b", "a@b", "a%41", "a\x00b", "a:80", "[127.0.0.1]", "[::1", "::1]", "[::1]x", "a\u2048b.example", "a\u2100b",
		strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 127) + "ab", "xn--a", "-.+", "a\\b", "é" + strings.Repeat("x", 2000),
	} {
		if h, err := ParseHost(in); err == nil {
			t.Errorf("ParseHost(%q) = %v, want an error", in, h)
		}
	}
}

// slowIPv4 reads an IPv4 spelling with big numbers and strconv's own bases.
func slowIPv4(s string) (netip.Addr, bool) {
	parts := strings.Split(s, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	sum := new(big.Int)
	for i, p := range parts {
		base := 10
		if strings.HasPrefix(p, "0x") {
			p, base = "0"+p[2:], 16
		} else if len(p) > 1 && strings.HasPrefix(p, "0") {
			base = 8
		}
		if strings.Trim(p, "0123456789abcdef") != "" {
			return netip.Addr{}, false
		}
		n, ok := new(big.Int).SetString(p, base)
		if !ok {
			return netip.Addr{}, false
		}
		weight := new(big.Int).Exp(big.NewInt(256), big.NewInt(int64(3-i)), nil)
		limit := big.NewInt(256)
		if i == len(parts)-1 {
			limit = new(big.Int).Mul(weight, big.NewInt(256))
			weight = big.NewInt(1)
		}
		if n.Cmp(limit) >= 0 {
			return netip.Addr{}, false
		}
		sum.Add(sum, n.Mul(n, weight))
	}
	n, err := strconv.ParseUint(sum.String(), 10, 32)
	return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), err == nil
}

func FuzzParseHost(f *testing.F) {
	for _, s := range []string{"127.1", "0x7f.1", "1.2.3.4.5", "example.com.", "[::1]", "１２７.1", "0x.0x", "00.1", "xn--a", "a_b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		h, err := ParseHost(s)
		if err != nil {
			return
		}
		again, err := ParseHost(h.String())
		if err != nil || again != h {
			t.Fatalf("%q became %q, which became %v, %v", s, h, again, err)
		}
		if strings.ContainsAny(s, ":[]%") {
			return
		}
		plain := strings.ToLower(s) == h.String() || strings.Trim(strings.ToLower(s), "0123456789abcdefx.") == ""
		if a, ok := slowIPv4(strings.TrimSuffix(strings.ToLower(s), ".")); ok && plain {
			if got, _ := h.Addr(); got != a {
				t.Fatalf("%q is %v, want %v", s, h, a)
			}
		} else if got, is := h.Addr(); is && plain {
			t.Fatalf("%q became the address %v", s, got)
		}
	})
}
