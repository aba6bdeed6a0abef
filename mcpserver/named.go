package mcpserver

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/internal/replay"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// nameKey is the member of _meta by which a client without a session names its call, so
// that it can come back for the result when the connection breaks. The id of the request
// cannot be that: every client counts its requests from 0, and several share a token.
const nameKey = "glovebox.run/call"

// The bounds of a name, in bytes: 22 characters of base64 hold the 128 random bits of which
// no two are the same. One like "my-call-000000000000001" is more likely written by a
// person than drawn.
const (
	minName     = 22
	maxName     = 128
	minNameUses = 8 // different characters; a UUID has more
)

var errName = invalid(fmt.Sprintf("_meta %q wants a text of %d to %d characters, 128 random bits in base64 or a UUID, new for each call", nameKey, minName, maxName))

// named returns the name of a call; empty for one that ends with its connection. With
// sessions, and over stdio, it has no meaning.
func (x *exchange) named() (string, error) {
	value, given := x.meta[nameKey]
	if !given || !x.modern() || x.extra == nil || x.extra.Header == nil {
		return "", nil
	}
	name, _ := value.(string)
	letters := []byte(name)
	slices.Sort(letters)
	if len(name) < minName || len(name) > maxName || len(slices.Compact(letters)) < minNameUses {
		return "", errName
	}
	return name, nil
}

// again makes the call, or waits for the one with this name. Each round of a call that asks
// its client for something is one of its own: the states differ.
func (x *exchange) again(name string) (mcp.Result, error) {
	given, err := json.Marshal(x.given)
	if err != nil {
		return nil, err
	}
	round := sha256.Sum256([]byte(x.state))
	same := sha256.Sum256(append(x.bound(), given...))
	text, err := x.names.Do(x.ctx, replay.Name{Owner: x.principal, Text: name + string(round[:])}, same, func(ctx context.Context) ([]byte, error) {
		// The request frees what it holds when its client hangs up.
		hold, err := x.gate.Hold(x.principal, int64(perMessage+len(x.arguments)))
		if err != nil {
			return nil, err
		}
		defer hold.Free()
		growStack()
		detached := *x
		detached.ctx = ctx
		result, err := detached.result()
		if err != nil {
			return nil, err
		}
		return textOf(result)
	})
	switch {
	case errors.Is(err, replay.ErrOther), errors.Is(err, replay.ErrDropped), errors.Is(err, replay.ErrMany), errors.As(err, new(*admission.Refusal)):
		return nil, invalid(err.Error())
	case err != nil:
		return nil, err
	}
	return rawResult{text: text}, nil
}
