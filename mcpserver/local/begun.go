package local

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
)

// A verb must not be done twice: once by a server that ends before it has answered, and again
// by whoever asked, which takes the folder and does it itself. So each has an id, and the
// owner writes the id down before it begins. Where an answer does not come, the file tells a verb
// that nobody ever began from one that may have been done. It is written to no disk on purpose: it is
// for the time after a process has ended, not after a machine has.

const (
	// verbHeader carries the id of a verb.
	verbHeader = "Glovebox-Verb"
	// maxBegun is the size at which the file is cut down to its last half, in bytes: some 2,000 ids.
	maxBegun = 64 << 10
	// maxVerbID bounds an id, in bytes; ours have 26.
	maxVerbID = 64
)

// ErrCut means that a server ended while it did a verb.
var ErrCut = errors.New("the server ended while it did this, and may have done it: look at what is there now, and say it again if it is missing")

// newVerbID makes an id that nobody had before.
func newVerbID() string { return rand.Text() }

func begunPath(state string) string { return filepath.Join(runDir(state), "verbs") }

// verbLog is the owner's list of the verbs that it and those before it have begun.
type verbLog struct {
	mu   sync.Mutex
	path string
}

// add writes an id down. A request without one is from no verb of ours, and has nobody who
// would repeat it.
func (b *verbLog) add(r *http.Request) error {
	id := r.Header.Get(verbHeader)
	if id == "" {
		return nil
	}
	if len(id) > maxVerbID || bytes.ContainsAny([]byte(id), "\r\n") {
		return fmt.Errorf("%s is no id of a verb: at most %d letters and digits", verbHeader, maxVerbID)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	f, err := os.OpenFile(b.path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|noFollow, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteString(id + "\n"); err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.Size() > maxBegun {
		return b.shorten()
	}
	return nil
}

// shorten keeps the younger half. Whoever reads sees the old file or the new one.
func (b *verbLog) shorten() error {
	text, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	text = text[len(text)/2:]
	text = text[bytes.IndexByte(text, '\n')+1:]
	if err := os.WriteFile(b.path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(b.path+".new", b.path)
}

// wasBegun reports whether an owner of the folder has begun a verb.
func wasBegun(state, id string) (bool, error) {
	text, err := os.ReadFile(begunPath(state))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	return bytes.Contains(append([]byte{'\n'}, text...), []byte("\n"+id+"\n")), err
}
