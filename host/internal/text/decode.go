package text

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"

	"github.com/glovebox-run/glovebox/budget"
)

// maxStreams is how many texts one call may decode in pieces at a time.
const maxStreams = 1_000

// Decoders hold the texts that one call decodes in pieces.
type Decoders struct {
	mu      sync.Mutex
	streams map[int]*stream
}

// NewDecoders returns a store without streams.
func NewDecoders() *Decoders { return &Decoders{streams: map[int]*stream{}} }

// stream is a text of which more is to come.
type stream struct {
	name    string
	decoder transform.Transformer // nil for UTF-16
	pending []byte                // the beginning of a character
	begun   bool                  // a byte order mark can no longer come
}

// Label serves encoding.label: the name of the encoding that browsers mean by a
// label, or a refusal.
func Label(_ context.Context, _ *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	_, name, err := lookup(string(text))
	return []byte(name), nil, err
}

func lookup(label string) (encoding.Encoding, string, error) {
	e, err := htmlindex.Get(label)
	if err != nil || e == nil || e == encoding.Replacement {
		return nil, "", invalid(helperDecoder, "unknown-encoding", "%.40q is no label of an encoding", label)
	}
	name, err := htmlindex.Name(e)
	if err != nil {
		return nil, "", invalid(helperDecoder, "unknown-encoding", "%.40q is no label of an encoding", label)
	}
	return e, name, nil
}

// decodeRequest is the text of encoding.decode; the blob is the bytes.
type decodeRequest struct {
	Label     string `json:"label"`
	Fatal     bool   `json:"fatal"`
	IgnoreBOM bool   `json:"ignoreBOM"` // keep the mark in the text
	Stream    bool   `json:"stream"`    // more is to come
	ID        int    `json:"id"`        // of the stream, chosen by the guest
}

// decodedSize is what a byte becomes at most: three of UTF-8, and a copy of its own
// behind the beginning of a character that came before.
const decodedSize = 4

// Decode serves encoding.decode.
func (d *Decoders) Decode(_ context.Context, account *budget.Account, text, blob []byte) ([]byte, []byte, error) {
	var r decodeRequest
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, nil, invalid(helperDecoder, "invalid-argument", "%v", err)
	}
	e, name, err := lookup(r.Label)
	if err != nil {
		return nil, nil, err
	}
	if err := account.Hold(decodedSize * len(blob)); err != nil {
		return nil, nil, err
	}
	if err := account.ChargeEach(len(blob), 4*budget.Scan); err != nil {
		return nil, nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.streams[r.ID]
	if s == nil {
		s = &stream{name: name, decoder: e.NewDecoder()}
		if r.Stream && len(d.streams) == maxStreams {
			return nil, nil, invalid(helperDecoder, "too-many-streams", "one call decodes at most %d texts in pieces at a time", maxStreams)
		}
	}
	if r.Stream {
		d.streams[r.ID] = s
	} else {
		delete(d.streams, r.ID)
	}
	out, bad := s.decode(append(s.pending, blob...), !r.Stream)
	if bad && r.Fatal {
		delete(d.streams, r.ID)
		return nil, nil, invalid(helperDecoder, "invalid-data", "the bytes are not %s", name)
	}
	if !s.begun && len(out) > 0 {
		s.begun = true
		if !r.IgnoreBOM && (name == "utf-8" || s.isUTF16()) {
			out = bytes.TrimPrefix(out, []byte("\ufeff"))
		}
	}
	return out, nil, nil
}

func (s *stream) isUTF16() bool { return s.name == "utf-16le" || s.name == "utf-16be" }

// decode goes through the bytes that are there and keeps the beginning of a
// character. bad says that U+FFFD stands in place of something; GB18030 can write
// U+FFFD itself, which counts as bad too.
func (s *stream) decode(data []byte, last bool) (out []byte, bad bool) {
	if s.isUTF16() {
		out, bad, s.pending = decodeUTF16(data, s.name == "utf-16be", last)
		return out, bad
	}
	// No encoding takes more than three bytes of UTF-8 for one of its own.
	out = make([]byte, 3*len(data)+utf8.UTFMax)
	n, read, err := s.decoder.Transform(out, data, last)
	s.pending = bytes.Clone(data[read:])
	if out = out[:n]; s.name == "utf-8" {
		return out, !utf8.Valid(data[:read])
	}
	return out, err != nil && !errors.Is(err, transform.ErrShortSrc) || bytes.Contains(out, []byte("\ufffd"))
}

// decodeUTF16 is here because x/text reads two low halves of a pair as one
// mistake, which are two.
func decodeUTF16(data []byte, bigEndian, last bool) (out []byte, bad bool, rest []byte) {
	unit := binary.LittleEndian.Uint16
	if bigEndian {
		unit = binary.BigEndian.Uint16
	}
	for len(data) >= 2 {
		r, size := rune(unit(data)), 2
		if 0xd800 <= r && r < 0xdc00 {
			if len(data) < 4 && !last {
				break
			}
			low := rune(0)
			if len(data) >= 4 {
				low = rune(unit(data[2:]))
			}
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				size = 4
			}
			bad = bad || size == 2
		} else if utf16.IsSurrogate(r) {
			r, bad = utf8.RuneError, true
		}
		out = utf8.AppendRune(out, r)
		data = data[size:]
	}
	if last && len(data) > 0 {
		return append(out, "\ufffd"...), true, nil
	}
	return out, bad, bytes.Clone(data)
}
