package plainhttp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"
)

const (
	// maxHead bounds the headers of a response in bytes, with those of responses that are
	// not final, such as 103; netguard's transport has the same bound.
	maxHead = 256 << 10
	// maxRest bounds what may come after the message that was waited for, in bytes:
	// usually the end of the last chunk.
	maxRest = 1 << 10
	// smallBuffer is what a connection reads at once: the usual answer with its headers.
	smallBuffer = 4 << 10
)

var errHead = fmt.Errorf("the headers of the response are longer than %d KiB", maxHead>>10)

// conn is one connection. One goroutine uses it at a time.
type conn struct {
	pool *Transport
	addr string
	net  net.Conn
	in   *bufio.Reader // of Read
	out  []byte        // the last request, for its memory
	may  int           // bytes that may still be read
	kept time.Time

	early []byte        // came before anybody read it
	rest  io.ReadCloser // of the last response; nil if it was read to its end
	still bool          // reads nothing that is not there yet

	chunked bool // the last response is
}

func newConn(pool *Transport, addr string, to net.Conn) *conn {
	c := &conn{pool: pool, addr: addr, net: to}
	c.in = bufio.NewReaderSize(c, smallBuffer)
	return c
}

func (c *conn) close() { c.net.Close() }

// lastChunk is the end of a response without a length, if it has no trailers.
var lastChunk = []byte("0\r\n\r\n")

var errStill = errors.New("nothing has come")

// Read implements [io.Reader] for the parser of responses.
func (c *conn) Read(p []byte) (n int, err error) {
	if c.may <= 0 {
		return 0, errHead
	}
	p = p[:min(len(p), c.may)]
	switch {
	case len(c.early) > 0:
		n = copy(p, c.early)
		c.early = c.early[n:]
	case c.still:
		return 0, errStill
	default:
		n, err = c.net.Read(p)
	}
	c.may -= n
	return n, err
}

// fresh reports whether the next request can be sent: the last response has ended, and
// neither an end nor anything else has come since. unended says that it cannot be sent
// only because nothing of the end of the last response has come yet.
func (c *conn) fresh() (use, unended bool) {
	var room [maxRest]byte
	n, open := look(c.net, room[:])
	if open && n == 0 && c.rest != nil && c.chunked {
		if have, _ := c.in.Peek(c.in.Buffered()); !bytes.HasSuffix(have, lastChunk) {
			return false, true
		}
	}
	return c.ended(room[:n], open), false
}

// ended reads what came after the last response was left.
func (c *conn) ended(came []byte, open bool) bool {
	n := len(came)
	if !open || n > 0 && c.rest == nil || n == maxRest {
		return false
	}
	if c.rest != nil {
		c.early, c.still, c.may = came, true, math.MaxInt
		_, err := io.CopyN(io.Discard, c.rest, maxRest)
		c.rest.Close()
		c.rest, c.still = nil, false
		if err != io.EOF || len(c.early) > 0 {
			return false
		}
		c.early = nil
		var more [1]byte
		if n, open = look(c.net, more[:]); !open || n > 0 {
			return false
		}
	}
	return c.in.Buffered() == 0
}

// do sends a request and returns the response. When the context ends the connection does.
func (c *conn) do(req *http.Request) (*http.Response, error) {
	var err error
	if c.out, err = appendRequest(c.out[:0], req); err != nil {
		return nil, err
	}
	release := context.AfterFunc(req.Context(), c.close)
	resp, err := c.exchange(req)
	if err != nil {
		release()
		return nil, err
	}
	c.chunked = slices.Equal(resp.TransferEncoding, []string{"chunked"})
	resp.Body = &body{conn: c, in: resp.Body, reusable: !resp.Close, release: release}
	return resp, nil
}

func (c *conn) exchange(req *http.Request) (*http.Response, error) {
	if _, err := c.net.Write(c.out); err != nil {
		return nil, err
	}
	c.may = maxHead
	for {
		resp, err := http.ReadResponse(c.in, req)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errors.New("the server closed the connection before its response")
		case err != nil:
			return nil, err
		case resp.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("the server switches to a protocol that nobody asked for")
		case resp.StatusCode < 200:
			continue
		}
		c.may = math.MaxInt
		return resp, nil
	}
}

// appendRequest appends a request as it is sent.
func appendRequest(b []byte, req *http.Request) ([]byte, error) {
	host := req.Host
	if host == "" {
		host = req.URL.Host
	}
	if !httpguts.ValidHostHeader(host) {
		return nil, fmt.Errorf("%.100q cannot be a Host header", host)
	}
	b = append(append(b, req.Method...), ' ')
	b = append(append(b, req.URL.RequestURI()...), " HTTP/1.1\r\nHost: "...)
	b = append(b, host...)
	for name, values := range req.Header {
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, fmt.Errorf("%.100q cannot be the name of a header", name)
		}
		switch name {
		case "Host", "Content-Length", "Transfer-Encoding", "Trailer", "Connection":
			continue
		}
		for _, value := range values {
			if !httpguts.ValidHeaderFieldValue(value) {
				return nil, fmt.Errorf("the value of the header %s cannot be sent", name)
			}
			b = append(append(append(append(b, "\r\n"...), name...), ": "...), value...)
		}
	}
	b = append(b, "\r\nContent-Length: "...)
	b = strconv.AppendInt(b, req.ContentLength, 10)
	b = append(b, "\r\n\r\n"...)
	head := len(b)
	b = append(b, make([]byte, req.ContentLength)...)
	if _, err := io.ReadFull(req.Body, b[head:]); err != nil {
		return nil, fmt.Errorf("the body is shorter than its length says: %w", err)
	}
	return b, nil
}

// body is the body of a response. Close may be called while Read waits, and ends it.
type body struct {
	conn     *conn
	in       io.ReadCloser
	reusable bool
	release  func() bool // takes the connection from the context; reports whether that was in time

	mu      sync.Mutex
	reading bool
	ended   error // what Read returns from now on
}

var errBodyClosed = errors.New("the body was closed")

func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	if b.ended != nil || b.reading {
		defer b.mu.Unlock()
		return 0, b.ended
	}
	b.reading = true
	b.mu.Unlock()
	n, err := b.in.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reading = false
	switch {
	case b.ended != nil: // closed meanwhile
		err = b.ended
	case err == io.EOF:
		b.ended = err
		b.part(b.reusable, nil)
	case err != nil:
		b.ended = err
		b.part(false, nil)
	}
	return n, err
}

// part ends the use of the connection.
func (b *body) part(keep bool, rest io.ReadCloser) {
	if !b.release() || !keep {
		b.conn.close()
		return
	}
	b.conn.rest = rest
	b.conn.pool.keep(b.conn)
}

// Close implements [io.Closer]. A connection whose response has not ended is closed.
func (b *body) Close() error { return b.leave(false) }

// leave ends the reading. If what is left of the body may be short, the connection is
// kept, and the rest is read when it is needed again.
func (b *body) leave(short bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended == nil {
		b.ended = errBodyClosed
		b.part(short && b.reusable && !b.reading, b.in)
	}
	return nil
}

// Left leaves a body whose message was read, and whose end must come soon, to the
// transport that it came from. It reports whether it did.
func Left(of io.ReadCloser) bool {
	b, ok := of.(*body)
	if ok {
		b.leave(true)
	}
	return ok
}
