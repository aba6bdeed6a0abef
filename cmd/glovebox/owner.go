package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/glovebox-run/glovebox/mcpserver/local"
)

// ownerOf returns the server that has the state folder. Without one, open takes the
// folder for this process, and the server is nil.
func ownerOf(ctx context.Context, state string, open func() error) (*local.Peer, error) {
	var owned error
	for range 3 { // a server may start or stop between the two looks; nobody does so all the time
		peer, err := local.Find(state)
		if err == nil {
			if _, err = peer.Status(ctx); err == nil {
				return peer, nil
			}
		}
		if !errors.Is(err, local.ErrNoOwner) {
			return nil, exitWith(exitIncomplete, err)
		}
		if owned = open(); !errors.Is(owned, local.ErrOwned) {
			return nil, owned
		}
	}
	return nil, owned
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
