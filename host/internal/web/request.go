package web

import (
	"net/http"
	"net/textproto"
	"net/url"
	"sort"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

const (
	// maxHeaders and maxHeaderBytes bound what a tool sends; most servers refuse
	// more than 8 KiB.
	maxHeaders     = 100
	maxHeaderBytes = 32 << 10
	// maxURL bounds a URL in bytes, as most servers do.
	maxURL = 32 << 10
)

// request is one hop of a fetch.
type request struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte
}

// newRequest checks everything about a request but where it goes.
func newRequest(a fetchArgs, body []byte) (*request, error) {
	u, err := parseURL(a.URL, nil)
	if err != nil {
		return nil, err
	}
	method := a.Method
	switch upper := strings.ToUpper(method); upper {
	case "":
		method = "GET"
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		method = upper
	case "CONNECT", "TRACE", "TRACK":
		return nil, fail(hostcall.InvalidInput, "invalid-method", "method %s is not for tools", upper)
	default:
		if !httpguts.ValidHeaderFieldName(method) { // both are tokens
			return nil, fail(hostcall.InvalidInput, "invalid-method", "%q is no method", method)
		}
	}
	switch a.Redirect {
	case "", "follow", "manual", "error":
	default:
		return nil, fail(hostcall.InvalidInput, "invalid-argument", "redirect is follow, manual or error")
	}
	if len(body) > maxBody {
		return nil, fail(hostcall.InvalidInput, "request-body-too-large", "a body has at most %d bytes", maxBody)
	}
	if len(body) > 0 && (method == "GET" || method == "HEAD") {
		return nil, fail(hostcall.InvalidInput, "body-not-allowed", "a %s request has no body", method)
	}
	header, err := requestHeader(a.Headers)
	if err != nil {
		return nil, err
	}
	return &request{method, u, header, body}, nil
}

// parseURL reads a URL, relative to base if there is one. What the query holds
// raw is escaped, as browsers do, since it goes on the request line as it is.
func parseURL(text string, base *url.URL) (*url.URL, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxURL {
		return nil, fail(hostcall.InvalidInput, "invalid-url", "a URL has at most %d bytes", maxURL)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fail(hostcall.InvalidInput, "invalid-url", "not a URL")
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	return u, nil
}

func escapeQuery(q string) string {
	const hex = "0123456789ABCDEF"
	var out strings.Builder
	for i := 0; i < len(q); i++ {
		if c := q[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>", c) >= 0 {
			out.Write([]byte{'%', hex[c>>4], hex[c&15]})
		} else {
			out.WriteByte(c)
		}
	}
	return out.String()
}

// notForTools are headers that say how the message is framed or routed. They are
// left out of what a tool asks for.
var notForTools = map[string]bool{
	"Connection": true, "Content-Length": true, "Expect": true, "Host": true, "Upgrade": true,
	"Accept-Encoding": true, "Keep-Alive": true, "Proxy-Authorization": true, "Proxy-Connection": true,
	"Te": true, "Trailer": true, "Transfer-Encoding": true, "Via": true, "Http2-Settings": true,
}

func requestHeader(pairs [][2]string) (http.Header, error) {
	if len(pairs) > maxHeaders {
		return nil, fail(hostcall.InvalidInput, "invalid-header", "a request has at most %d headers", maxHeaders)
	}
	header := http.Header{"User-Agent": {"glovebox"}, "Accept": {"*/*"}}
	size := 0
	given := map[string]bool{}
	for _, pair := range pairs {
		name, value := pair[0], strings.Trim(pair[1], " \t\r\n")
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, fail(hostcall.InvalidInput, "invalid-header", "%q is no header", name)
		}
		if size += len(name) + len(value); size > maxHeaderBytes {
			return nil, fail(hostcall.InvalidInput, "invalid-header", "headers have at most %d bytes", maxHeaderBytes)
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		if notForTools[name] {
			continue
		}
		if !given[name] {
			header.Del(name) // a default of ours
			given[name] = true
		}
		header[name] = append(header[name], value)
	}
	header.Set("Accept-Encoding", acceptEncoding)
	return header, nil
}

// forAnyHost are the request headers that say nothing about who asks. Only these
// go on when a redirect leads to another host: an API key can be in any header.
var forAnyHost = map[string]bool{
	"Accept": true, "Accept-Encoding": true, "Accept-Language": true, "Cache-Control": true, "Content-Language": true,
	"Content-Type": true, "If-Modified-Since": true, "If-None-Match": true, "Pragma": true, "Range": true, "User-Agent": true,
}

// follow returns the request that a redirect turns r into.
func (r *request) follow(status int, target *url.URL) *request {
	next := &request{method: r.method, url: target, header: r.header.Clone(), body: r.body}
	switch {
	case status == 303 && r.method != "HEAD",
		(status == 301 || status == 302) && (r.method == "POST" || r.method == "PUT" || r.method == "PATCH"):
		next.method = "GET"
	}
	if next.method == "GET" || next.method == "HEAD" {
		next.body = nil
		for _, name := range []string{"Content-Type", "Content-Language", "Content-Encoding", "Content-Location"} {
			next.header.Del(name)
		}
	}
	if target.Fragment == "" {
		target.Fragment = r.url.Fragment
	}
	if !sameHost(r.url, target) {
		for name := range next.header {
			if !forAnyHost[name] {
				next.header.Del(name)
			}
		}
	}
	return next
}

// sameHost reports whether credentials for one URL may be shown to the other:
// the same host and port, or the same host's step up from http to https.
func sameHost(from, to *url.URL) bool {
	if from.Hostname() != to.Hostname() {
		return false
	}
	if from.Scheme == to.Scheme {
		return from.Port() == to.Port()
	}
	return from.Scheme == "http" && from.Port() == "" && to.Port() == ""
}

// joinHeaders lists response headers by name, repeated ones joined.
func joinHeaders(header http.Header) [][2]string {
	all := [][2]string{}
	for name, values := range header {
		all = append(all, [2]string{strings.ToLower(name), strings.Join(values, ", ")})
	}
	sort.Slice(all, func(i, j int) bool { return all[i][0] < all[j][0] })
	return all
}
