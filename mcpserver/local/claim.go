package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/internal/osfile"
)

// ErrOwned means that another process owns the state folder.
var ErrOwned = errors.New("another process owns the state folder")

// note is the owner's entry in the lock file. The lock itself is the kernel's: the
// entry is only a hint about where to connect.
type note struct {
	PID    int    `json:"pid"`
	Socket string `json:"socket,omitempty"` // empty until the socket is open
	Doing  string `json:"doing,omitempty"`  // in a few words, for people
}

// Owner is the one process that holds a state folder.
type Owner struct {
	state string
	doing string
	lock  *os.File
	since time.Time
	begun verbLog
	// verbs is the context of every request, which ends with cancel.
	verbs  context.Context
	cancel context.CancelFunc
	last   time.Duration // lastRequests, or less in a test

	mu       sync.Mutex
	listener net.Listener
	server   *http.Server
	clients  map[*client]struct{}
	gone     chan struct{} // holds a value after a client has left
	full     bool          // no more clients are admitted
}

// Claim makes this process the owner of a state folder, until Close or until the
// process ends for any reason. If another process owns it, the error is ErrOwned,
// possibly wrapped.
func Claim(state string) (*Owner, error) { return claim(state, "") }

func claim(state, doing string) (*Owner, error) {
	state, err := filepath.Abs(state)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(runDir(state)); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(lockPath(state), os.O_RDWR|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return nil, err
	}
	// The file is never removed: a process with the old file open would hold a lock
	// that nobody else sees.
	if err := osfile.TryLock(lock); err != nil {
		lock.Close()
		if errors.Is(err, osfile.ErrLocked) {
			return nil, ErrOwned
		}
		return nil, err
	}
	o := &Owner{state: state, doing: doing, lock: lock, since: time.Now(), last: lastRequests, begun: verbLog{path: begunPath(state)}, clients: map[*client]struct{}{}, gone: make(chan struct{}, 1)}
	o.verbs, o.cancel = context.WithCancel(context.Background())
	if err := o.note(""); err != nil {
		o.cancel()
		lock.Close()
		return nil, err
	}
	return o, nil
}

// Stands reports whether the state folder still is the one that was claimed. In one
// that was moved away, another process would not see this owner.
func (o *Owner) Stands() error {
	claimed, err := o.lock.Stat()
	if err != nil {
		return err
	}
	now, err := os.Stat(lockPath(o.state))
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s was moved or deleted while it was in use: put it back", lockPath(o.state))
	case err != nil:
		return err
	case !os.SameFile(claimed, now):
		return fmt.Errorf("%s was replaced while it was in use: stop the server and start it again", lockPath(o.state))
	}
	return nil
}

// note replaces the entry in the lock file. A concurrent reader may find text that
// is not JSON; it then retries.
func (o *Owner) note(socket string) error {
	text, err := json.Marshal(note{PID: os.Getpid(), Socket: socket, Doing: o.doing})
	if err != nil {
		return err
	}
	if err := o.lock.Truncate(0); err != nil {
		return err
	}
	_, err = o.lock.WriteAt(append(text, '\n'), 0)
	return err
}

// readNote reads the current or last owner of a state folder.
func readNote(state string) (n note, err error) {
	if err := private(runDir(state)); err != nil {
		return n, err
	}
	f, err := os.OpenFile(lockPath(state), os.O_RDONLY|noFollow, 0)
	if err != nil {
		return n, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 4096))
	if err != nil {
		return n, err
	}
	return n, json.Unmarshal(text, &n)
}

// listen opens the socket. It first removes a socket left by a killed owner, which
// only the lock holder may do.
func (o *Owner) listen() (net.Listener, error) {
	path, err := socketPath(o.state)
	if err != nil {
		return nil, err
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != os.ModeSocket {
			return nil, fmt.Errorf("%s is there and no socket", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	err = os.Chmod(path, 0o600) // the folder kept others out until now
	if err == nil {
		err = o.note(path)
	}
	if err != nil {
		listener.Close()
		return nil, err
	}
	return listener, nil
}

const (
	// lastRequests is how long requests in flight may take when the socket is closed: a verb
	// that reaches a server takes some seconds. Then their contexts end, and they have
	// lastWords to answer that.
	lastRequests = 10 * time.Second
	lastWords    = time.Second
)

// Stop removes the socket and disconnects the remaining clients. This process keeps
// the state folder, where it may have files to close.
func (o *Owner) Stop() {
	o.mu.Lock()
	o.full = true
	listener, server := o.listener, o.server
	o.mu.Unlock()
	if server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), o.last+lastWords)
		defer cancel()
		defer time.AfterFunc(o.last, o.cancel).Stop()
		_ = listener.Close() // removes the file; a second call does nothing
		_ = server.Shutdown(ctx)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for c := range o.clients {
		c.conn.Close()
	}
}

// Close stops and releases the state folder.
func (o *Owner) Close() error {
	o.Stop()
	o.cancel()
	return errors.Join(o.lock.Truncate(0), o.lock.Close())
}
