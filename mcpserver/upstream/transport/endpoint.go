package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/plainhttp"
)

// endpoint is one URL and how requests get there.
type endpoint struct {
	url      *url.URL
	rt       http.RoundTripper
	header   http.Header
	draining chan struct{}
}

// body is what is sent. It remembers whether anybody began to read it: before that,
// nothing but headers can have left, and no server acts on those.
type body struct {
	bytes.Reader
	touched *atomic.Bool
}

func (b *body) Read(p []byte) (int, error) {
	b.touched.Store(true)
	return b.Reader.Read(p)
}

func (b *body) WriteTo(w io.Writer) (int64, error) {
	b.touched.Store(true)
	return b.Reader.WriteTo(w)
}

func (b *body) Close() error { return nil }

// send makes one request and follows redirects that stay on the origin. Its error is
// of type *Error or that of the context.
func (e *endpoint) send(ctx context.Context, method string, header http.Header, text []byte) (*http.Response, error) {
	var touched atomic.Bool
	fresh := func() (io.ReadCloser, error) {
		b := &body{touched: &touched}
		b.Reset(text)
		return b, nil
	}
	to := e.url
	for range maxRedirects + 1 {
		req := (&http.Request{Method: method, URL: to, Host: to.Host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(ctx)
		if text != nil {
			req.Body, _ = fresh()
			req.GetBody, req.ContentLength = fresh, int64(len(text))
		}
		resp, err := e.rt.RoundTrip(req)
		if err != nil {
			if ctx.Err() != nil {
				return nil, &Error{Kind: Stalled, Unsent: !touched.Load(), Err: ctx.Err()}
			}
			kind := Closed
			if !touched.Load() {
				kind = Unreachable
			}
			return nil, &Error{Kind: kind, Unsent: !touched.Load(), Err: err}
		}
		next, err := redirect(req, resp)
		if err != nil {
			resp.Body.Close()
			return nil, &Error{Kind: Status, Code: resp.StatusCode, Unsent: true, Err: err}
		}
		if next == nil {
			return resp, nil
		}
		resp.Body.Close()
		to = next
	}
	return nil, &Error{Kind: Malformed, Unsent: true, Err: fmt.Errorf("more than %d redirects", maxRedirects)}
}

// redirect returns where the request must be sent instead, nil for nowhere. Another
// origin would get the operator's headers.
func redirect(req *http.Request, resp *http.Response) (*url.URL, error) {
	switch resp.StatusCode {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		if req.Method != http.MethodGet {
			return nil, errors.New("the server redirects and drops the message; register the address it names")
		}
	default:
		return nil, nil
	}
	to, err := req.URL.Parse(resp.Header.Get("Location"))
	if err != nil {
		return nil, errors.New("the server redirects to no URL")
	}
	if to.Scheme != req.URL.Scheme || to.Host != req.URL.Host || to.User != nil {
		return nil, fmt.Errorf("the server redirects to another origin, %.200q; register that address if it is right", to.Scheme+"://"+to.Host)
	}
	to.Fragment = ""
	return to, nil
}

// emptied waits for the bodies that are left, which ended with the connection, and closes
// the pool.
func (e *endpoint) emptied() {
	for range maxDraining {
		e.draining <- struct{}{}
	}
	if pool, ok := e.rt.(interface{ CloseIdleConnections() }); ok {
		pool.CloseIdleConnections()
	}
}

// base are the headers of every request.
func (e *endpoint) base(accept string) http.Header {
	header := e.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	header.Set("Accept", accept)
	header.Set("Accept-Encoding", "identity") // a small body can then not become a large one
	return header
}

// drain reads a body to its end, in the background and only for a moment, and then calls
// end. A body that can do so by itself is left to it.
func (e *endpoint) drain(b io.ReadCloser, end func()) {
	if plainhttp.Left(b) {
		end()
		return
	}
	select {
	case e.draining <- struct{}{}:
	default:
		b.Close()
		end()
		return
	}
	late := time.AfterFunc(drainTime, end)
	go func() {
		_, _ = io.CopyN(io.Discard, b, MaxText) // usually the end of the last chunk
		b.Close()
		late.Stop()
		end()
		<-e.draining
	}()
}

// mediaType of a body that is as it says it is.
func mediaType(resp *http.Response) (string, error) {
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return "", malformed("the answer is encoded with %.100q, which nobody asked for", coding)
	}
	if kind := resp.Header.Get("Content-Type"); kind == "application/json" || kind == "text/event-stream" {
		return kind, nil
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil && kind == "" {
		return resp.Header.Get("Content-Type"), nil
	}
	return kind, nil
}

// readAll reads the body of one message.
func readAll(resp *http.Response) ([]byte, error) {
	if resp.ContentLength > MaxMessage {
		return nil, &Error{Kind: Malformed, Err: errTooLarge}
	}
	var late atomic.Bool
	timer := time.AfterFunc(MessageTime, func() { late.Store(true); resp.Body.Close() })
	defer timer.Stop()
	var text bytes.Buffer
	if resp.ContentLength > 0 {
		text.Grow(int(min(resp.ContentLength+bytes.MinRead, 64<<10)))
	}
	n, err := text.ReadFrom(io.LimitReader(resp.Body, MaxMessage+1))
	switch {
	case late.Load():
		return nil, &Error{Kind: Stalled, Err: errSlow}
	case err != nil:
		return nil, &Error{Kind: Closed, Err: err}
	case n > MaxMessage:
		return nil, &Error{Kind: Malformed, Err: errTooLarge}
	}
	return text.Bytes(), nil
}

// explanation returns the beginning of a body that is no message, for a person to read.
func explanation(resp *http.Response) string {
	late := time.AfterFunc(drainTime, func() { resp.Body.Close() })
	defer late.Stop()
	text, _ := io.ReadAll(io.LimitReader(resp.Body, MaxText))
	return strings.ToValidUTF8(strings.TrimSpace(string(text)), "\uFFFD")
}

// statusError says what a status means; it reads the beginning of the body.
func statusError(resp *http.Response) *Error {
	e := &Error{Kind: Status, Code: resp.StatusCode, Text: explanation(resp), RetryAfter: retryAfter(resp)}
	// A server that refuses the request itself has not acted on it; one that failed, or a
	// proxy before it, may have.
	e.Unsent = resp.StatusCode < 500
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		e.Kind = Unauthorized
	}
	return e
}

func retryAfter(resp *http.Response) time.Duration {
	seconds, err := strconv.ParseUint(resp.Header.Get("Retry-After"), 10, 32)
	if err != nil {
		return 0
	}
	return min(time.Duration(seconds)*time.Second, maxRetryAfter)
}
