package live

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/glovebox-run/glovebox/risk/live/overlap"
)

// Head is what is kept of a session beside its texts. Two heads of one session are merged
// with [Head.Merge]; nothing that was bad in either is lost.
type Head struct {
	Label  Label   `json:"label"`
	Killed []Kill  `json:"killed,omitempty"`
	Forgot bool    `json:"forgot,omitempty"`
	Leaves []Leave `json:"leaves,omitempty"`
}

// Head returns what is to be kept beside the texts.
func (s *Session) Head() Head { return Head{s.label, s.killed, s.Forgot(), s.leaves} }

// Merge returns the worse of both heads. The leaves are those of newer.
func (h Head) Merge(newer Head) Head {
	merged := Session{label: h.Label.Join(newer.Label), forgot: h.Forgot || newer.Forgot, leaves: newer.Leaves}
	for _, k := range append(append([]Kill(nil), h.Killed...), newer.Killed...) {
		merged.Kill(k.Signal, k.Call)
	}
	return merged.Head()
}

// Adopt makes a session at least as bad as a head, and takes over its leaves.
func (s *Session) Adopt(h Head) {
	merged := s.Head().Merge(h)
	s.label, s.killed, s.forgot, s.leaves = merged.Label, merged.Killed, merged.Forgot, merged.Leaves
}

// keptText is a text as it is kept.
type keptText struct {
	Text
	Packed []byte `json:"marks,omitempty"`
}

// packedMark is the size of a mark: hash, place, kind.
const packedMark = 8 + 4 + 1

// Encode writes a text for storage. Of a trusted one only the marks are written.
func (t Text) Encode() ([]byte, error) {
	kept := keptText{Text: t}
	if !t.Label.Untrusted {
		kept.Words = ""
		t.Read()
		kept.Packed = make([]byte, 0, packedMark*len(t.Marks))
		for _, m := range t.Marks {
			kept.Packed = binary.LittleEndian.AppendUint64(kept.Packed, m.Hash)
			kept.Packed = binary.LittleEndian.AppendUint32(kept.Packed, m.At)
			kept.Packed = append(kept.Packed, byte(m.Kind))
		}
	}
	return json.Marshal(kept)
}

// DecodeText reads what Encode wrote.
func DecodeText(data []byte) (Text, error) {
	var kept keptText
	if err := json.Unmarshal(data, &kept); err != nil {
		return Text{}, fmt.Errorf("a text of a session: %w", err)
	}
	if len(kept.Packed)%packedMark != 0 || len(kept.Packed)/packedMark > overlap.MaxMarks {
		return Text{}, errors.New("a text of a session: the marks are damaged")
	}
	t := kept.Text
	if !t.Label.Untrusted {
		t.Marks = []overlap.Mark{}
	}
	for p := kept.Packed; len(p) > 0; p = p[packedMark:] {
		t.Marks = append(t.Marks, overlap.Mark{Hash: binary.LittleEndian.Uint64(p), At: binary.LittleEndian.Uint32(p[8:]), Kind: overlap.Kind(p[12])})
	}
	return t, nil
}
