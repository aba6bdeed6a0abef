package url

import (
	"context"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Helper is the name under which failures are reported.
const Helper = "URL"

const (
	// maxURL is the longest URL in bytes.
	maxURL = 1 << 20
	// maxAhead is the longest piece before the query, in bytes, of a URL that has a
	// host or a path of segments.
	maxAhead = 64 << 10
	// maxMarks is how many of the characters / \ @ : may stand in it. The parser
	// takes time with the square of each: 4 ms for this many segments.
	maxMarks = 1_200
	// maxAts is how many of them may be an @, each of which costs more.
	maxAts = 500
)

// Request is the text of url.parse and url.set.
type Request struct {
	Input string  `json:"input"`
	Base  *string `json:"base"`
	Part  string  `json:"part"` // of url.set: which one
	Value string  `json:"value"`
}

// Parts are a URL as its properties show it.
type Parts struct {
	Href     string `json:"href"`
	Origin   string `json:"origin"`
	Protocol string `json:"protocol"`
	Username string `json:"username"`
	Password string `json:"password"`
	Host     string `json:"host"`
	Hostname string `json:"hostname"`
	Port     string `json:"port"`
	Pathname string `json:"pathname"`
	Search   string `json:"search"`
	Hash     string `json:"hash"`
}

// perPair is the fuel for two separators in one URL.
const perPair = 24

func invalid(format string, args ...any) error {
	return hostcall.Errorf(hostcall.InvalidInput, Helper, "invalid-url", format, args...)
}

// check refuses what would take the parser long, and charges for what is long: it
// looks at all segments again for each, 4 ms for the most there may be.
func check(account *budget.Account, parts ...string) error {
	for _, s := range parts {
		if len(s) > maxURL {
			return invalid("a URL has at most %d bytes", maxURL)
		}
		ahead, _, _ := strings.Cut(s, "?")
		ahead, _, _ = strings.Cut(ahead, "#")
		if isOpaque(ahead) {
			continue
		}
		ats := strings.Count(ahead, "@")
		marks := ats + strings.Count(ahead, "/") + strings.Count(ahead, `\`) + strings.Count(ahead, ":")
		if len(ahead) > maxAhead || marks > maxMarks || ats > maxAts {
			return invalid("host and path have at most %d bytes and %d separators", maxAhead, maxMarks)
		}
		if err := account.Charge(uint64(marks) * uint64(marks) * perPair); err != nil {
			return err
		}
	}
	return nil
}

// isOpaque reports a URL such as data:, whose path is one piece however many
// slashes it has.
func isOpaque(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || rest[0] == '/' || rest[0] == '\\' || strings.ContainsAny(scheme, "/\\@") {
		return false
	}
	switch strings.ToLower(strings.Trim(scheme, " ")) {
	case "data", "mailto", "blob", "javascript":
		return true
	}
	return false
}

func parse(account *budget.Account, r Request) (*whatwg.Url, error) {
	bounded := []string{r.Input}
	if r.Part != "search" && r.Part != "hash" {
		bounded = append(bounded, r.Value)
	} else if len(r.Value) > maxURL {
		return nil, invalid("a URL has at most %d bytes", maxURL)
	}
	if r.Base != nil {
		bounded = append(bounded, *r.Base)
	}
	if err := check(account, bounded...); err != nil {
		return nil, err
	}
	if r.Base == nil {
		u, err := whatwg.Parse(r.Input)
		if err != nil {
			return nil, invalid("%.200q is no URL", r.Input)
		}
		return u, nil
	}
	base, err := whatwg.Parse(*r.Base)
	if err != nil {
		return nil, invalid("the base %.200q is no URL", *r.Base)
	}
	u, err := base.Parse(r.Input)
	if err != nil {
		return nil, invalid("%.200q is no URL with the base %.200q", r.Input, *r.Base)
	}
	return u, nil
}

// Parse serves url.parse.
func Parse(_ context.Context, account *budget.Account, r Request) (Parts, error) {
	u, err := parse(account, r)
	if err != nil {
		return Parts{}, err
	}
	return partsOf(u), nil
}

var setters = map[string]func(*whatwg.Url, string){
	"protocol": (*whatwg.Url).SetProtocol,
	"username": (*whatwg.Url).SetUsername,
	"password": (*whatwg.Url).SetPassword,
	"host":     (*whatwg.Url).SetHost,
	"hostname": (*whatwg.Url).SetHostname,
	"port":     (*whatwg.Url).SetPort,
	"pathname": (*whatwg.Url).SetPathname,
	"search":   (*whatwg.Url).SetSearch,
	"hash":     (*whatwg.Url).SetHash,
}

// Set serves url.set: changes one part. What does not fit there changes nothing.
func Set(_ context.Context, account *budget.Account, r Request) (Parts, error) {
	u, err := parse(account, r)
	if err != nil {
		return Parts{}, err
	}
	set, ok := setters[r.Part]
	if !ok {
		return Parts{}, hostcall.Errorf(hostcall.InvalidInput, Helper, "invalid-argument", "a URL has no part %.20q", r.Part)
	}
	set(u, r.Value)
	return partsOf(u), nil
}

func partsOf(u *whatwg.Url) Parts {
	return Parts{
		Href: u.Href(false), Origin: origin(u), Protocol: u.Protocol(), Username: u.Username(), Password: u.Password(),
		Host: u.Host(), Hostname: u.Hostname(), Port: u.Port(), Pathname: u.Pathname(), Search: u.Search(), Hash: u.Hash(),
	}
}

// origin is a URL's origin as text, "null" where there is none.
func origin(u *whatwg.Url) string {
	switch u.Scheme() {
	case "http", "https", "ws", "wss", "ftp":
		return u.Protocol() + "//" + u.Host()
	case "blob":
		if inner, err := whatwg.Parse(u.Pathname()); err == nil && (inner.Scheme() == "http" || inner.Scheme() == "https") {
			return origin(inner)
		}
	}
	return "null"
}
