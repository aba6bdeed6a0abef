package mcp

import (
	"fmt"
	"math/bits"
	"net/url"
	"strings"
)

// Origin says where a registration comes from. The zero value was typed by a person
// and matches no known server.
type Origin uint8

const (
	Typed         Origin = iota // a URL that no catalog entry covers
	TypedMatching               // a typed URL whose host a catalog entry has
	Cataloged                   // a catalog entry
)

// DocGaps are the reasons why too little is known about a server.
type DocGaps uint8

const (
	NoDocsURL DocGaps = 1 << iota
	DocsInadequate
	UnusedFor90Days
)

var docGapWords = []struct {
	gap DocGaps
	why string
}{
	{NoDocsURL, "no documentation address is known"},
	{DocsInadequate, "the documentation is not marked adequate"},
	{UnusedFor90Days, "not used for more than 90 days"},
}

// maxDocPoints is the most points that documentation gaps cost a server.
const maxDocPoints = 2

// Server holds the facts that a server is scored on. The zero value is an untrusted
// remote server without authentication: L5.
type Server struct {
	Transport Transport
	URL       string
	Auth      Auth
	Scopes    []string // the OAuth scopes of all transports
	Signals   Signals
	Origin    Origin
	Docs      DocGaps
	// Writes is set when the tools, taken together, can change something.
	Writes bool
}

// ServerRisk says how risky it is to connect to a server.
type ServerRisk struct {
	Score
	Host HostClass `json:"host"`
}

// ScoreServer adds up four axes and lets three floors override the sum. It reports
// the first floor that is met; all three are L5.
func ScoreServer(p Profile, s Server) ServerRisk {
	host := ClassifyHost(p, s.Transport, s.URL)
	return ServerRisk{
		Score: newScore(p, serverFloor(p, s, host),
			newAxis("transport", 1, transportDriver(p, s, host)),
			newAxis("auth", 2, authDriver(s.Auth, host)),
			newAxis("trust", 2, trustDriver(s)),
			newAxis("doc", maxDocPoints, docDrivers(s.Docs)...),
		),
		Host: host,
	}
}

func transportDriver(p Profile, s Server, host HostClass) Driver {
	switch {
	case host == PrivateLAN:
		return Driver{1, "the host is on a private network"}
	case host != Public:
		return Driver{0, "the server runs on this machine (" + host.String() + ")"}
	case p == Reference:
		return Driver{0, "the host is public"}
	}
	u, err := url.Parse(strings.TrimSpace(s.URL))
	switch {
	case err != nil || u.Hostname() == "":
		return Driver{1, "the address cannot be read"}
	case strings.EqualFold(u.Scheme, "https"):
		return Driver{0, "the host is public and reached over TLS"}
	}
	return Driver{1, "the host is public and reached without TLS"}
}

// authPoints are the points of a remote server. No authentication costs nothing
// by itself: the floors judge it together with what the server can do.
var authPoints = [...]int{AuthNone: 0, AuthAPIKey: 1, AuthBearer: 1, AuthOAuthStandard: 0, AuthOAuthCustom: 2}

func authDriver(a Auth, host HostClass) Driver {
	if host.Local() {
		return Driver{0, "authentication does not matter on this machine"}
	}
	points := authPoints[AuthOAuthCustom]
	if int(a) < len(authPoints) {
		points = authPoints[a]
	}
	return Driver{points, "authentication: " + strings.ReplaceAll(a.String(), "_", " ")}
}

func trustDriver(s Server) Driver {
	switch {
	case s.Origin == Typed:
		return Driver{2, "typed by hand, and no catalog entry has its host"}
	case s.Origin == TypedMatching:
		return Driver{1, "typed by hand, and a catalog entry has its host"}
	case s.Signals.Has(VendorOfficial):
		return Driver{0, "the catalog marks it as the vendor's own"}
	case s.Signals.Has(CommunityCurated):
		return Driver{1, "the catalog marks it as curated by the community"}
	}
	return Driver{2, "the catalog vouches neither for a vendor nor for a community"}
}

func docDrivers(gaps DocGaps) []Driver {
	var drivers []Driver
	for _, row := range docGapWords {
		if gaps&row.gap != 0 {
			drivers = append(drivers, Driver{1, row.why})
		}
	}
	if drivers == nil {
		drivers = []Driver{{0, "documented and in use"}}
	}
	return drivers
}

// Names of the server floors.
const (
	FloorNoAuthWrite     = "non_loopback_no_auth_write_capability"
	FloorNoAuthUnknown   = "non_loopback_no_auth_trust_unknown"
	FloorPrivilegedScope = "privileged_oauth_scope"
)

func serverFloor(p Profile, s Server, host HostClass) Floor {
	open := !host.Local() && s.Auth == AuthNone
	switch {
	case open && s.Writes:
		return Floor{FloorNoAuthWrite, "no-auth-write", L5, "anybody can reach it without authentication, and it can change things"}
	case open && s.Origin == Typed && s.Signals&(VendorOfficial|CommunityCurated) == 0:
		return Floor{FloorNoAuthUnknown, "no-auth-unknown", L5, "it asks for no authentication, and nobody known runs its host"}
	}
	for _, scope := range s.Scopes {
		if why := privilegedScope(p, scope); why != "" {
			return Floor{FloorPrivilegedScope, "privileged-scope", L5, fmt.Sprintf("the OAuth scope %q %s", scope, why)}
		}
	}
	return Floor{}
}

// staleAfterDays is how long a server may go unused before it counts as stale.
const staleAfterDays = 90

// GapsOf returns the documentation gaps of a server. A server that was never
// used (nil) is new rather than stale.
func GapsOf(docsURL string, adequate bool, lastUsedDaysAgo *int) DocGaps {
	var gaps DocGaps
	if strings.TrimSpace(docsURL) == "" {
		gaps |= NoDocsURL
	}
	if !adequate {
		gaps |= DocsInadequate
	}
	if lastUsedDaysAgo != nil && *lastUsedDaysAgo > staleAfterDays {
		gaps |= UnusedFor90Days
	}
	return gaps
}

// Count returns how many gaps there are.
func (g DocGaps) Count() int { return bits.OnesCount8(uint8(g)) }
