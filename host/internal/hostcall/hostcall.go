// Package hostcall defines one host call for every family: its handler, the encoding
// of arguments and replies, and its errors for the guest. It knows no family.
package hostcall

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/glovebox-run/glovebox/budget"
)

// Handler serves one operation. text is UTF-8, blob is raw bytes or nil; the
// reply has the same two parts. Handlers may be called from several goroutines.
// An *Error is for the guest to catch, any other error is for the host alone.
//
// The table has charged the account for the request and charges for the reply;
// the handler charges for what it does between beyond one pass over them, and
// holds memory before it allocates more than a fixed amount. An error of the
// account is returned as it is.
type Handler func(ctx context.Context, account *budget.Account, text, blob []byte) (rtext, rblob []byte, err error)

// JSON makes a handler of a function from one JSON object to a JSON value.
// Failures to read the object are reported under the helper's name.
func JSON[Args, Reply any](helper string, f func(context.Context, *budget.Account, Args) (Reply, error)) Handler {
	return func(ctx context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
		if err := account.Hold(elementSize * elements(text)); err != nil {
			return nil, nil, err
		}
		var args Args
		if err := json.Unmarshal(text, &args); err != nil {
			return nil, nil, Errorf(InvalidInput, helper, "invalid-argument", "%v", err)
		}
		reply, err := f(ctx, account, args)
		if err != nil {
			return nil, nil, err
		}
		if b, ok := any(reply).(*budget.Builder); ok && b.Quoted() {
			rtext, err := b.Bytes()
			return rtext, nil, err
		}
		out := budget.NewBuilder(account)
		if err := writeJSON(out, reply); err != nil {
			return nil, nil, err
		}
		rtext, err := out.Bytes()
		return rtext, nil, err
	}
}

// elementSize is what an element of a list takes in memory besides its bytes: a
// text or a number, and its share of what a growing list leaves behind.
const elementSize = 32

// elements is how many elements a JSON text has at most: commas outside of texts.
func elements(text []byte) int {
	count := 0
	for len(text) > 0 {
		quote := bytes.IndexByte(text, '"')
		if quote < 0 {
			return count + bytes.Count(text, []byte{','})
		}
		count += bytes.Count(text[:quote], []byte{','})
		for text = text[quote+1:]; ; {
			end := bytes.IndexAny(text, `"\`)
			if end < 0 {
				return count
			}
			if text[end] == '"' {
				text = text[end+1:]
				break
			}
			text = text[min(end+2, len(text)):]
		}
	}
	return count
}

// writeJSON writes the kinds of replies that may be long directly, so that room is
// reserved before they are written; the rest has a fixed size.
func writeJSON(out *budget.Builder, reply any) error {
	switch r := reply.(type) {
	case string:
		out.WriteJSONString(r)
	case *budget.Builder: // a text
		text, err := r.Bytes()
		if err != nil {
			return err
		}
		out.WriteJSONBytes(text)
		r.Done()
	case []string:
		writeList(out, r, func(s string) { out.WriteJSONString(s) })
	case [][2]string:
		writeList(out, r, func(pair [2]string) {
			writeList(out, pair[:], func(s string) { out.WriteJSONString(s) })
		})
	case []int:
		var digits [20]byte
		writeList(out, r, func(n int) { out.Write(strconv.AppendInt(digits[:0], int64(n), 10)) })
	default:
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false) // the guest reads it with JSON.parse, not as HTML
		if err := enc.Encode(reply); err != nil {
			return err
		}
		out.Write(bytes.TrimSuffix(text.Bytes(), []byte("\n")))
	}
	return nil
}

func writeList[T any](out *budget.Builder, list []T, item func(T)) {
	if list == nil {
		out.WriteString("null")
		return
	}
	out.WriteByte('[')
	for i, v := range list {
		if i > 0 {
			out.WriteByte(',')
		}
		if item(v); out.Err() != nil {
			return
		}
	}
	out.WriteByte(']')
}
