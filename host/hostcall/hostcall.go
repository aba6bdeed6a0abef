// Package hostcall is one host call as every family of them sees it: what its
// handler is, how arguments and replies are written, and how it fails towards
// the guest. It knows no family.
package hostcall

import (
	"bytes"
	"context"
	"encoding/json"
)

// Handler serves one operation. text is UTF-8, blob is raw bytes or nil; the
// reply has the same two parts. Handlers may be called from several goroutines.
// An *Error is for the guest to catch, any other error is for the host alone.
type Handler func(ctx context.Context, text, blob []byte) (rtext, rblob []byte, err error)

// JSON makes a handler of a function from one JSON object to a JSON value.
// Failures to read the object are reported under the helper's name.
func JSON[Args, Reply any](helper string, f func(context.Context, Args) (Reply, error)) Handler {
	return func(ctx context.Context, text, _ []byte) ([]byte, []byte, error) {
		var args Args
		if err := json.Unmarshal(text, &args); err != nil {
			return nil, nil, Errorf(InvalidInput, helper, "invalid-argument", "%v", err)
		}
		reply, err := f(ctx, args)
		if err != nil {
			return nil, nil, err
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false) // the guest reads it with JSON.parse, not as HTML
		if err := enc.Encode(reply); err != nil {
			return nil, nil, err
		}
		return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil, nil
	}
}
