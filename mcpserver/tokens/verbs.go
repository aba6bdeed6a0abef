package tokens

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Named is the argument of the verbs rotate and revoke.
type Named struct {
	Name string `json:"name"`
}

// Made is the answer of the verbs create and rotate.
type Made struct {
	Token
	Text string `json:"token"` // shown this once
}

// Codes of errors of the verbs.
const (
	CodeInput   = "input"
	CodeRefused = "refused"
	CodeFailed  = "failed"
)

// Code names the kind of an error.
func Code(err error) string {
	switch {
	case errors.Is(err, ErrNoSuch), errors.Is(err, ErrExists):
		return CodeRefused
	case errors.Is(err, ErrInvalid):
		return CodeInput
	}
	return CodeFailed
}

// Do does an operator's verb, with JSON as over the socket: list, create with a Token,
// rotate and revoke with Named.
func (b *Book) Do(ctx context.Context, by, verb string, body []byte) (any, error) {
	var named Named
	var t Token
	into := map[string]any{"create": &t, "rotate": &named, "revoke": &named}[verb]
	if into != nil {
		if err := json.Unmarshal(body, into); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
	}
	switch verb {
	case "list":
		return b.List(), nil
	case "create":
		t.By = by
		made, text, err := b.Create(ctx, t)
		return Made{made, text}, err
	case "rotate":
		made, text, err := b.Rotate(ctx, named.Name)
		return Made{made, text}, err
	case "revoke":
		return named, b.Revoke(ctx, named.Name)
	}
	return nil, fmt.Errorf("%w: there is no verb %q", ErrInvalid, verb)
}
