package web

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/netguard"
)

// acceptEncoding is what readBody can decode.
const acceptEncoding = "gzip, deflate, br, zstd"

const (
	// maxCodings is how many codings may lie on top of each other.
	maxCodings = 3
	// maxZstdWindow is the memory that a zstd stream may ask for, in bytes; RFC
	// 8878 recommends decoders to support 8 MiB.
	maxZstdWindow = 8 << 20
	// maxText is the largest text that a body becomes, in bytes: every byte of a
	// body can turn into a U+FFFD of three.
	maxText = 3 * maxBody
)

var (
	errBodyTooLarge   = errors.New("the response body is larger than 10 MiB")
	errBodiesTooLarge = errors.New("the responses under way are larger than 64 MiB together")
	errCoding         = errors.New("the response has a content coding that is not supported")
	errDecode         = errors.New("the response body does not decode")
)

// capped fails once more than left bytes came through, or when a decoder goes on
// giving nothing.
type capped struct {
	io.Reader
	left  int64
	over  *bool // set when the cap is met, since a decoder may put its own error in the place of ours
	empty int   // reads of nothing, in a row
}

// maxEmptyReads is what bufio takes for a reader that will never give anything.
const maxEmptyReads = 100

func (c *capped) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.left -= int64(n); c.left < 0 {
		*c.over = true
		return 0, errBodyTooLarge
	}
	if c.empty++; n > 0 {
		c.empty = 0
	}
	if c.empty > maxEmptyReads && err == nil {
		err = io.ErrNoProgress
	}
	return n, err
}

// share counts what one response holds of the memory for all of them.
// It is charged for each decoded byte, and holds two: what it is read into doubles.
type share struct {
	io.Reader
	account *budget.Account
	of      *atomic.Int64
	held    int64
}

func (s *share) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if err := s.account.Hold(2 * n); err != nil {
		return 0, err
	}
	if err := s.account.ChargeEach(n, budget.Scan); err != nil {
		return 0, err
	}
	s.held += int64(n)
	if s.of.Add(int64(n)) > maxBodies {
		return 0, errBodiesTooLarge
	}
	return n, err
}

func (s *share) close() { s.of.Add(-s.held) }

// readBody reads a response body while counting it, as it was sent and as it
// decodes.
func readBody(res *http.Response, reading *share) ([]byte, error) {
	if res.Body == http.NoBody { // the length that a HEAD answer names is another's
		return nil, nil
	}
	if res.ContentLength > maxBody {
		return nil, errBodyTooLarge
	}
	over := false
	sent := &capped{Reader: res.Body, left: maxBody, over: &over}
	decoded, err := decode(sent, &over, res.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if res.ContentLength > 0 && decoded == io.Reader(sent) {
		body.Grow(int(min(res.ContentLength, 1<<20)) + bytes.MinRead) // what is claimed is not paid for in advance
	}
	reading.Reader = &capped{Reader: decoded, left: maxBody, over: &over}
	if _, err = body.ReadFrom(reading); over {
		err = errBodyTooLarge
	}
	return body.Bytes(), err
}

// decode undoes the content codings, the last one first.
func decode(r io.Reader, over *bool, fields []string) (io.Reader, error) {
	var codings []string
	for name := range strings.SplitSeq(strings.Join(fields, ","), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" && name != "identity" {
			codings = append(codings, name)
		}
	}
	if len(codings) == 0 {
		return r, nil
	}
	if len(codings) > maxCodings {
		return nil, errCoding
	}
	buffered := bufio.NewReader(r)
	if _, err := buffered.Peek(1); err == io.EOF {
		return buffered, nil // nothing to decode, as in an answer to HEAD
	}
	r = buffered
	for _, name := range slices.Backward(codings) {
		next, err := decodeOne(r, name)
		if err != nil {
			return nil, err
		}
		// Between two layers the size counts as well: a layer can be a bomb for the
		// next one's memory.
		r = decodeErrors{&capped{Reader: next, left: maxBody, over: over}}
	}
	return r, nil
}

func decodeOne(r io.Reader, name string) (io.Reader, error) {
	var next io.Reader
	var err error
	switch name {
	case "gzip", "x-gzip":
		next, err = gzip.NewReader(r)
	case "deflate":
		// zlib by the standard; some servers send the raw stream.
		b := bufio.NewReader(r)
		if head, _ := b.Peek(2); len(head) == 2 && head[0]&0x0f == 8 && (uint(head[0])<<8|uint(head[1]))%31 == 0 {
			next, err = zlib.NewReader(b)
		} else {
			next = flate.NewReader(b)
		}
	case "br":
		next = brotli.NewReader(r)
	case "zstd":
		var d *zstd.Decoder
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
		next = d
	default:
		return nil, errCoding
	}
	if err != nil {
		return nil, errors.Join(errDecode, err)
	}
	return next, nil
}

// decodeErrors gives every decoder's complaint one name. What the connection or
// the counting said stays as it is.
type decodeErrors struct{ io.Reader }

func (d decodeErrors) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	if err != nil && err != io.EOF && !errors.Is(err, errBodyTooLarge) && !errors.Is(err, context.Canceled) && !isTimeout(err) {
		err = errors.Join(errDecode, err)
	}
	return n, err
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

// failure turns whatever stopped a fetch into the guest's error.
func (c *Client) failure(err error) error {
	var already *hostcall.Error
	var refused *netguard.Refusal
	switch {
	case errors.As(err, &already):
		return already
	case errors.As(err, &refused):
		return c.refusal(refused)
	case errors.Is(err, errBodyTooLarge):
		return fail(hostcall.Security, "response-body-too-large", "the response body is larger than %d bytes", maxBody)
	case errors.Is(err, errBodiesTooLarge):
		return fail(hostcall.Runtime, "too-many-bodies", "%v", errBodiesTooLarge)
	case errors.Is(err, errCoding):
		return fail(hostcall.Runtime, "unsupported-encoding", "%v", errCoding)
	case errors.Is(err, context.Canceled):
		return fail(hostcall.Runtime, "interrupted", "the request was ended")
	case isTimeout(err):
		return fail(hostcall.Runtime, "timeout", "the server did not answer in time")
	case errors.Is(err, errDecode):
		return fail(hostcall.Runtime, "invalid-encoding", "%v", errDecode)
	case isTLS(err):
		return fail(hostcall.Runtime, "tls", "the server's certificate or TLS is not in order")
	}
	return fail(hostcall.Runtime, "io", "the connection failed")
}

func isTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		alert        tls.AlertError
		host         x509.HostnameError
	)
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &host)
}

// refusal names what the guard refused. Where a URL is at fault and not where it
// leads, the input is to blame; a name that does not resolve is only a failure
// when there is no guard to satisfy.
func (c *Client) refusal(r *netguard.Refusal) *hostcall.Error {
	kind := hostcall.Security
	switch r.Reason {
	case netguard.MissingHost, netguard.InvalidURL:
		kind = hostcall.InvalidInput
	case netguard.NotResolved, netguard.NoAddresses:
		if c.guard.Private {
			return fail(hostcall.Runtime, "io", "%s does not resolve", r.Host)
		}
	}
	if r.Host == "" {
		return fail(kind, string(r.Reason), "%s", inWords[r.Reason])
	}
	return fail(kind, string(r.Reason), "%s %s", r.Host, inWords[r.Reason])
}

// inWords says behind the host what is wrong with it. No way out is named but
// those of the tool's author: the operator's settings are not the tool's business.
var inWords = map[netguard.Reason]string{
	netguard.UnsupportedScheme: "only addresses that begin with http:// or https:// are fetched",
	netguard.MissingHost:       "the address has no host",
	netguard.InvalidURL:        "the address has no valid host or port",
	netguard.HostNotAllowed:    "is not in the tool's hostsAllow",
	netguard.HostDenied:        "is on the operator's list of refused hosts",
	netguard.LiteralPrivate:    "is not a public address",
	netguard.ResolvedPrivate:   "leads to an address that is not public",
	netguard.NotResolved:       "does not resolve",
	netguard.NoAddresses:       "has no address",
	netguard.PortNotAllowed:    "has a port that is another protocol's",
	netguard.UserInfo:          "must not come with a user or password in the address; send an Authorization header",
}

// byteOrderMark is U+FEFF in UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// Text is the handler of http.text: bytes and a content type to text. The charset that the
// content type names is honoured, what is broken becomes U+FFFD, and a byte order
// mark decides and goes.
func Text(_ context.Context, account *budget.Account, contentType, body []byte) ([]byte, []byte, error) {
	var charset encoding.Encoding = unicode.UTF8
	if !bytes.Contains(bytes.ToLower(contentType), []byte("charset")) {
		// Plain types need no parsing.
	} else if _, params, err := mime.ParseMediaType(string(contentType)); err == nil && params["charset"] != "" {
		if named, err := htmlindex.Get(params["charset"]); err == nil {
			charset = named
		}
	}
	if charset == unicode.UTF8 && utf8.Valid(body) && !bytes.HasPrefix(body, []byte(byteOrderMark)) {
		return body, nil, nil // most responses: nothing to change
	}
	if err := account.Hold(maxText / maxBody * len(body)); err != nil {
		return nil, nil, err
	}
	text, _, err := transform.Bytes(unicode.BOMOverride(charset.NewDecoder()), body)
	if err != nil {
		return nil, nil, fail(hostcall.Runtime, "invalid-encoding", "%v", errDecode)
	}
	if len(text) > maxText {
		return nil, nil, fail(hostcall.Security, "response-body-too-large", "the text is larger than %d bytes", maxText)
	}
	return text, nil, nil
}

// JSON is the handler of http.json: as http.text, but the text must be JSON.
func JSON(ctx context.Context, account *budget.Account, contentType, body []byte) ([]byte, []byte, error) {
	text, _, err := Text(ctx, account, contentType, body)
	if err == nil && !json.Valid(text) {
		err = fail(hostcall.Runtime, "invalid-json", "the response body is not JSON")
	}
	if err != nil {
		return nil, nil, err
	}
	return text, nil, nil
}
