package url

import (
	"context"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"github.com/glovebox-run/glovebox/host/hostcall"
)

// Helper is the name under which failures are reported.
const Helper = "URL"

// maxURL is the longest URL in bytes, in and out.
const maxURL = 1 << 20

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

func invalid(format string, args ...any) error {
	return hostcall.Errorf(hostcall.InvalidInput, Helper, "invalid-url", format, args...)
}

func parse(r Request) (*whatwg.Url, error) {
	switch {
	case len(r.Input)+len(r.Value) > maxURL || r.Base != nil && len(*r.Base) > maxURL:
		return nil, invalid("a URL has at most %d bytes", maxURL)
	case r.Base == nil:
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
func Parse(_ context.Context, r Request) (Parts, error) {
	u, err := parse(r)
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
func Set(_ context.Context, r Request) (Parts, error) {
	u, err := parse(r)
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
