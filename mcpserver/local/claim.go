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
	"syscall"
	"time"
)

// ErrOwned means that another process owns the state folder.
var ErrOwned = errors.New("another process owns the state folder")

// note is what the lock file says about the owner. The lock itself is the
// kernel's: what the file says counts only as a hint where to ask.
type note struct {
	PID    int    `json:"pid"`
	Socket string `json:"socket,omitempty"` // once there is one
}

// Owner is the one process that holds a state folder.
type Owner struct {
	state string
	lock  *os.File
	since time.Time

	mu       sync.Mutex
	listener net.Listener
	server   *http.Server
	clients  map[*client]struct{}
	gone     chan struct{} // holds one when a client left
	full     bool          // no more clients are let in
}

// Claim makes this process the owner of a state folder, until Close or its end,
// however it ends. The error is ErrOwned, possibly wrapped, when there is one.
func Claim(state string) (*Owner, error) {
	state, err := filepath.Abs(state)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(runDir(state)); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(lockPath(state), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	// The file is never removed: who has it open would hold a lock that nobody else
	// sees.
	if err := flock(lock); err != nil {
		lock.Close()
		return nil, err
	}
	o := &Owner{state: state, lock: lock, since: time.Now(), clients: map[*client]struct{}{}, gone: make(chan struct{}, 1)}
	if err := o.note(note{PID: os.Getpid()}); err != nil {
		lock.Close()
		return nil, err
	}
	return o, nil
}

func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrOwned
		case !errors.Is(err, syscall.EINTR):
			return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
		}
	}
}

// note replaces what the lock file says. A reader that comes in between finds a
// text that is no JSON, and asks again.
func (o *Owner) note(n note) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := o.lock.Truncate(0); err != nil {
		return err
	}
	_, err = o.lock.WriteAt(append(text, '\n'), 0)
	return err
}

// readNote reads who owns a state folder, or owned it last.
func readNote(state string) (n note, err error) {
	if err := private(runDir(state)); err != nil {
		return n, err
	}
	f, err := os.OpenFile(lockPath(state), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
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

// listen opens the socket. One that a killed owner left behind is removed first,
// which only the holder of the lock may do.
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
	err = os.Chmod(path, 0o600) // nobody else could reach it before, by the folder
	if err == nil {
		err = o.note(note{PID: os.Getpid(), Socket: path})
	}
	if err != nil {
		listener.Close()
		return nil, err
	}
	return listener, nil
}

// lastRequests is how long requests that are being answered may take when the
// socket is closed.
const lastRequests = time.Second

// Stop removes the socket and hangs up on all who are still there. The state folder
// stays this process's own, which may have files there to close.
func (o *Owner) Stop() {
	o.mu.Lock()
	o.full = true
	listener, server := o.listener, o.server
	o.mu.Unlock()
	if server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), lastRequests)
		defer cancel()
		_ = listener.Close() // removes the file; a second time it does nothing
		_ = server.Shutdown(ctx)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for c := range o.clients {
		c.conn.Close()
	}
}

// Close stops and gives the state folder free.
func (o *Owner) Close() error {
	o.Stop()
	return errors.Join(o.lock.Truncate(0), o.lock.Close())
}
