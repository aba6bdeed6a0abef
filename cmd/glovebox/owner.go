package main

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/local"
)

// ownerTime is how long ownerOf follows a folder that changes hands, for instance while a
// supervisor restarts a server again and again. Each look waits for a change by itself.
const ownerTime = 30 * time.Second

// ownerOf returns the server that has the state folder. Without one, open takes the
// folder for this process, and the server is nil.
func ownerOf(ctx context.Context, state string, open func() error) (*local.Peer, error) {
	for began := time.Now(); ; { // a server may start or stop between the two looks
		peer, err := local.Find(state)
		if err == nil {
			if _, err = peer.Status(ctx); err == nil {
				return peer, nil
			}
		}
		if !errors.Is(err, local.ErrNoOwner) {
			return nil, exitWith(exitIncomplete, err)
		}
		if err = open(); !errors.Is(err, local.ErrOwned) || time.Since(began) > ownerTime {
			return nil, err
		}
	}
}

// verbs are those of the gateway or of tokens.
type verbs interface {
	Do(ctx context.Context, by, verb string, body []byte) (any, error)
}

// here does a verb in this process, with the same texts as over the socket; code names
// the kind of an error.
func here(ctx context.Context, in verbs, code func(error) string, verb string, ask, answer any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	said, err := in.Do(ctx, local.Operator(), verb, body)
	if err != nil {
		return local.Problem{Code: code(err), Message: err.Error()}
	}
	if body, err = json.Marshal(said); err != nil {
		return err
	}
	return json.Unmarshal(body, answer)
}
