package text

import (
	"bytes"
	"context"
	"encoding/base64"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/budget"
)

// Btoa serves encoding.btoa: text holds one character for each byte.
func Btoa(_ context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	if err := account.Hold(3 * len(text)); err != nil { // two forms of it, one of them a third longer
		return nil, nil, err
	}
	raw := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r > 0xff || r == utf8.RuneError && size == 1 {
			return nil, nil, invalid(helperBtoa, "non-latin-1", "the character at byte %d does not fit into one byte; encode the text first", i)
		}
		raw = append(raw, byte(r))
		i += size
	}
	return base64.StdEncoding.AppendEncode(nil, raw), nil, nil
}

// Atob serves encoding.atob. As the WHATWG's forgiving-base64 has it, white space
// does not count and padding may be missing; everything else must be base64, also
// the number of characters. What bits are left over in the last one is ignored.
func Atob(_ context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	if err := account.Hold(3 * len(text)); err != nil { // two forms of it, one of them a third longer
		return nil, nil, err
	}
	data := bytes.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\n', '\f', '\r':
			return -1
		}
		return r
	}, text)
	if len(data)%4 == 0 {
		data = bytes.TrimSuffix(data, []byte("="))
		if len(data)%4 == 3 {
			data = bytes.TrimSuffix(data, []byte("="))
		}
	}
	raw, err := base64.RawStdEncoding.AppendDecode(nil, data)
	if err != nil {
		return nil, nil, invalid(helperAtob, "invalid-base64", "the text is not base64")
	}
	out := make([]byte, 0, len(raw)+len(raw)/2)
	for _, b := range raw {
		out = utf8.AppendRune(out, rune(b))
	}
	return out, nil, nil
}
