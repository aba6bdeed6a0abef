package local

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// ErrNoOwner means that no process owns the state folder.
var ErrNoOwner = errors.New("no server is running")

const (
	// askTime is the timeout of a request to the owner: one that takes longer is
	// stopped or stuck.
	askTime = 5 * time.Second
	// joinTime is how long Join retries: an owner starts within a second or two,
	// and a stopping one gives its calls ten.
	joinTime = 20 * time.Second
	// maxAnswer bounds an owner's answer, in bytes.
	maxAnswer = 16 << 20
)

// Peer is the owner of a state folder, seen from another process.
type Peer struct {
	state string
	note  note
	http  http.Client
}

// Find looks for the owner of a state folder. If there is none, the error is
// ErrNoOwner, possibly wrapped.
func Find(state string) (*Peer, error) {
	state, err := filepath.Abs(state)
	if err != nil {
		return nil, err
	}
	n, err := readNote(state)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, io.ErrUnexpectedEOF), err == nil && n.Socket == "", isSyntax(err):
		return nil, ErrNoOwner // or one that does not serve yet
	case err != nil:
		return nil, err
	}
	p := &Peer{state: state, note: n}
	p.http.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := p.dial(ctx)
		if err != nil {
			return nil, err // do not wrap a nil pointer in an interface
		}
		return conn, nil
	}}
	return p, nil
}

func isSyntax(err error) bool {
	var syntax *json.SyntaxError
	return errors.As(err, &syntax)
}

// PID is the owner's process, according to its note.
func (p *Peer) PID() int { return p.note.PID }

// Socket is the path the owner listens on.
func (p *Peer) Socket() string { return p.note.Socket }

// dial connects to the socket if its folder and the process behind it belong to
// this user alone.
func (p *Peer) dial(ctx context.Context) (*net.UnixConn, error) {
	if err := private(filepath.Dir(p.note.Socket)); err != nil {
		return nil, err
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", p.note.Socket)
	if errors.Is(err, os.ErrNotExist) || refused(err) {
		return nil, ErrNoOwner // it was killed
	}
	if err != nil {
		return nil, err
	}
	over := conn.(*net.UnixConn)
	if _, err := admitted(over, os.Getuid()); err != nil {
		over.Close()
		return nil, err
	}
	return over, nil
}

// Status asks the owner for its status. One that hangs up is stopping, and as good as
// gone.
func (p *Peer) Status(ctx context.Context) (s Status, err error) {
	err = p.ask(ctx, http.MethodGet, "/status", nil, &s)
	if errors.Is(err, io.EOF) || hungUp(err) {
		err = ErrNoOwner
	}
	return s, err
}

// ask sends one request. Any answer other than success is returned as a Problem.
func (p *Peer) ask(ctx context.Context, method, path string, body io.Reader, into any) error {
	return p.within(ctx, askTime, method, path, body, into)
}

// within is ask with a time for the answer, and headers: names, each with its value behind it.
func (p *Peer) within(ctx context.Context, most time.Duration, method, path string, body io.Reader, into any, headers ...string) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, "http://glovebox"+path, body)
	if err != nil {
		return err
	}
	for pair := range slices.Chunk(headers, 2) {
		request.Header.Set(pair[0], pair[1])
	}
	response, err := p.http.Do(request)
	if errors.Is(err, ErrNoOwner) {
		return ErrNoOwner
	}
	if err != nil {
		return p.failed(err)
	}
	defer response.Body.Close()
	answer := json.NewDecoder(io.LimitReader(response.Body, maxAnswer))
	if response.StatusCode >= 300 {
		var problem Problem
		if err := answer.Decode(&problem); err != nil {
			return p.failed(errors.New(response.Status))
		}
		return problem
	}
	if err := answer.Decode(into); err != nil {
		return p.failed(err)
	}
	return nil
}

func (p *Peer) failed(err error) error {
	return fmt.Errorf("the server (process %d) did not answer on %s: %w", p.note.PID, p.note.Socket, err)
}

// Session is the connection of one client to the owner.
type Session struct {
	// Owner is the owner's status.
	Owner Status
	conn  *net.UnixConn
	in    *bufio.Reader
}

// Close disconnects.
func (s *Session) Close() error { return s.conn.Close() }

// Attach opens a session for this process's client, unless the owner is stopping.
func (p *Peer) Attach(ctx context.Context) (*Session, error) {
	status, err := p.Status(ctx)
	if err != nil {
		return nil, err
	}
	if status.Draining {
		return nil, fmt.Errorf("the server (process %d) is stopping", status.PID)
	}
	conn, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	s := &Session{Owner: status, conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}
	if err := s.upgrade(); err != nil {
		conn.Close()
		return nil, p.failed(err)
	}
	return s, nil
}

func (s *Session) upgrade() error {
	_ = s.conn.SetDeadline(time.Now().Add(askTime))
	if _, err := io.WriteString(s.conn, "POST /mcp HTTP/1.1\r\nHost: glovebox\r\nConnection: Upgrade\r\nUpgrade: "+upgrade+"\r\nContent-Length: 0\r\n\r\n"); err != nil {
		return err
	}
	response, err := http.ReadResponse(s.in, nil)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusSwitchingProtocols {
		return errors.New(response.Status)
	}
	return s.conn.SetDeadline(time.Time{})
}

// Join makes this process the owner of a state folder, or opens a session with the
// current owner; it returns exactly one of the two. It waits for an owner that is
// starting or stopping; if the wait fails, the error wraps ErrOwned.
func Join(ctx context.Context, state string) (*Owner, *Session, error) {
	ctx, cancel := context.WithTimeout(ctx, joinTime)
	defer cancel()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		owner, err := claim(state, "glovebox serve --stdio")
		if !errors.Is(err, ErrOwned) {
			return owner, nil, err
		}
		peer, err := Find(state)
		if err == nil {
			var session *Session
			if session, err = peer.Attach(ctx); err == nil {
				return nil, session, nil
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("%w (%s, %s) and lets nobody in: %w", ErrOwned, cmp.Or(Holder(state), "which one is not known"), state, err)
		}
	}
}

// Inspect returns the socket of the owner of a state folder, empty if there is
// none, and any problem with its location. It changes nothing.
func Inspect(state string) (socket string, err error) {
	n, err := readNote(state)
	switch {
	case errors.Is(err, os.ErrNotExist), isSyntax(err), errors.Is(err, io.EOF), err == nil && n.Socket == "":
		return "", nil
	case err != nil:
		return "", err
	}
	info, err := os.Lstat(n.Socket)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err == nil {
		err = private(filepath.Dir(n.Socket))
	}
	if err != nil {
		return "", err
	}
	if info.Mode() != socketMode {
		return "", fmt.Errorf("%s has mode %v and should be a socket with 0600; stop the server and start it again", n.Socket, info.Mode())
	}
	return n.Socket, nil
}
