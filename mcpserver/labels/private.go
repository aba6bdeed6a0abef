package labels

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/glovebox-run/glovebox/risk/live"
)

// privateNetwork reports whether an argument names an address that only the machine's own
// network knows. A name is not looked up here: what it leads to is checked when somebody
// dials it. loopback says whether addresses of the machine itself count.
func privateNetwork(arguments []live.Argument, loopback bool) bool {
	for _, a := range arguments {
		u, err := url.Parse(a.Value)
		if err != nil || u.Host == "" {
			continue
		}
		host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
		if host == "localhost" || strings.HasSuffix(host, ".localhost") {
			if loopback {
				return true
			}
			continue
		}
		if host == "metadata.google.internal" {
			return true
		}
		address, err := netip.ParseAddr(host)
		if err != nil {
			continue
		}
		address = address.Unmap()
		if address.IsLoopback() && loopback || address.IsPrivate() || address.IsLinkLocalUnicast() || address.IsUnspecified() || address.IsMulticast() {
			return true
		}
	}
	return false
}
