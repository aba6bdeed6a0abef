package scans

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// Opener opens a history for a moment; done ends its use.
type Opener func(context.Context) (h *History, done func(), err error)

// Local opens the history in a folder of this machine, which one process at a time has
// open.
func Local(folder string, board Folder) Opener {
	return func(ctx context.Context) (*History, func(), error) {
		s, err := store.Open(ctx, folder, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("the history of scans: %w", err)
		}
		h, err := Open(ctx, s, board, time.Now)
		if err != nil {
			s.Close()
			return nil, nil, err
		}
		return h, s.Close, nil
	}
}

// In opens the history of a cluster. Its bucket is made by the first scan and not at the
// start of a server: it reserves what it may take, and most servers never scan.
func In(s *store.Store, board *Shared) Opener {
	var mu sync.Mutex
	var opened *History
	return func(ctx context.Context) (*History, func(), error) {
		mu.Lock()
		defer mu.Unlock()
		if opened == nil {
			h, err := Open(ctx, s, board, time.Now)
			if err != nil {
				return nil, nil, fmt.Errorf("the history of scans: %w", err)
			}
			opened = h
		}
		return opened, func() {}, nil
	}
}
