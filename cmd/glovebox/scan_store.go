package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/mcpserver/scans"
	"github.com/glovebox-run/glovebox/mcpserver/service"
)

// scanStore says where scans are kept: in the state folder, or in a cluster.
type scanStore struct{ settings }

func (s *scanStore) flags(cmd *cobra.Command) {
	s.bindIn(cmd, cmd.PersistentFlags(), "state.nats.url", "state.nats.credentials", "state.nats.nkey", "state.nats.ca", "state.nats.certificate", "state.nats.key", "state.nats.replicas")
}

// history is the scans that were kept, or nothing.
type history struct {
	scans *scans.History
	done  func()
	err   error
}

// history opens the scans that were kept. On one machine they are in a folder of their
// own, so that scanning works beside a running server.
func (s *scanStore) history(cmd *cobra.Command) *history {
	h := &history{}
	p, err := place()
	if err == nil {
		loaded, loadErr := s.load(cmd)
		if err = loadErr; err == nil {
			h.scans, h.done, err = service.OperateScans(cmd.Context(), loaded, p)
		}
	}
	h.err = err
	return h
}

// close may be called several times.
func (h *history) close() {
	if h.done != nil {
		h.done()
		h.done = nil
	}
}

// with opens the history for a verb that only needs that. changed says that a server that
// runs has to hear of what the verb did.
func (s *scanStore) with(cmd *cobra.Command, changed bool, do func(*scans.History) error) error {
	h := s.history(cmd)
	defer h.close()
	var coded *exitError
	if errors.As(h.err, &coded) {
		return h.err
	}
	if h.err != nil {
		return exitWith(exitIncomplete, h.err)
	}
	err := do(h.scans)
	h.close() // whoever is told reads it
	if changed && (err == nil || errors.As(err, &coded)) {
		tellScanned(cmd)
	}
	switch {
	case err == nil || errors.As(err, &coded):
		return err
	case errors.Is(err, scans.ErrNone):
		return exitWith(exitNo, fmt.Errorf("%w; glovebox scan history lists them", err))
	}
	return exitWith(exitIncomplete, err)
}

// tellScanned has a server that runs look at the new scores: compositions may demand a
// grade. Without one there is nobody to tell.
func tellScanned(cmd *cobra.Command) {
	p, err := place()
	if err != nil {
		return // then nothing was kept
	}
	peer, err := local.Find(p.State)
	if err != nil {
		return
	}
	if err := peer.Gateway(cmd.Context(), "scanned", struct{}{}, &struct{}{}); err != nil && !errors.Is(err, local.ErrNoOwner) {
		fmt.Fprintf(cmd.ErrOrStderr(), "glovebox: the server that runs did not hear of the scan: %s\n", oneLine(err.Error()))
	}
}
