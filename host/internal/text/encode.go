package text

import (
	"bytes"
	"context"
	"strconv"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/budget"
)

// Encode serves encoding.encode: the bytes of a text.
func Encode(_ context.Context, _ *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	if text == nil {
		text = []byte{}
	}
	return nil, text, nil
}

// EncodeInto serves encoding.encodeInto. The text is "room", a line feed and what
// is to be encoded; the reply is how many UTF-16 units of it fit into so many
// bytes, and those bytes. No character is cut.
func EncodeInto(_ context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	if err := account.Hold(len(text)); err != nil {
		return nil, nil, err
	}
	head, source, ok := bytes.Cut(text, []byte("\n"))
	room, err := strconv.Atoi(string(head))
	if !ok || err != nil || room < 0 {
		return nil, nil, invalid(helperEncoder, "invalid-argument", "%.20q is no number of bytes", head)
	}
	end, units := 0, 0
	for end < len(source) {
		r, size := utf8.DecodeRune(source[end:])
		if end+size > room {
			break
		}
		end += size
		units++
		if r > 0xffff {
			units++
		}
	}
	return strconv.AppendInt(nil, int64(units), 10), append([]byte{}, source[:end]...), nil
}
