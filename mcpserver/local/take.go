package local

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// takeTime is how long Take waits for an owner that does not serve: a verb of the
	// command line has the folder for a tenth of a second, a server that starts or stops
	// for some seconds, a verb that reaches another server for longer.
	takeTime = 15 * time.Second
	// takeEvery is how often it looks.
	takeEvery = 25 * time.Millisecond
)

// Take is Claim for a process that cannot share the folder. An owner that serves keeps
// it, and the error is ErrOwned; one that does not is waited for, 15 s or until the
// context ends. doing says, in a few words, what this process does with the folder.
func Take(ctx context.Context, state, doing string) (*Owner, error) {
	ctx, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	again := time.NewTicker(takeEvery)
	defer again.Stop()
	for {
		owner, err := claim(state, doing)
		if !errors.Is(err, ErrOwned) {
			return owner, err
		}
		if peer, missing := Find(state); missing == nil {
			if _, missing = peer.Status(ctx); !errors.Is(missing, ErrNoOwner) && ctx.Err() == nil {
				return nil, err // it serves, or is stuck
			}
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, err
		}
	}
}

// Holder says which process has the state folder, for people: its number and what it does.
// Without a note of one it is empty.
func Holder(state string) string {
	n, err := readNote(state)
	switch {
	case err != nil || n.PID == 0:
		return ""
	case n.Doing == "":
		return fmt.Sprintf("process %d", n.PID)
	}
	return fmt.Sprintf("process %d (%s)", n.PID, n.Doing)
}
