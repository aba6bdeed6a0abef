package egress

import "github.com/glovebox-run/glovebox/risk/egress/internal/jsonwalk"

// JSON masks the strings, member names and numbers of a JSON text. Strings are
// searched unescaped, so that an escape inside a secret cannot hide it. A number that
// contains a secret becomes a string. All other bytes stay the same. A text that is
// not JSON is masked as by [Masker.Bytes].
func (m *Masker) JSON(raw []byte) []byte {
	if m == nil || m.find == nil {
		return raw
	}
	var (
		w       jsonwalk.Walker
		out     []byte
		at      int
		decoded []byte
	)
	ok := w.Walk(raw, func(l jsonwalk.Leaf) {
		text := raw[l.Start:l.End]
		if l.Kind != jsonwalk.LeafNumber {
			text = text[1 : len(text)-1]
		}
		if l.Escaped {
			decoded = jsonwalk.Unquote(decoded[:0], text)
			text = decoded
		}
		found := locate(m, text)
		if len(found) == 0 {
			return
		}
		out = append(out, raw[at:l.Start]...)
		out = append(out, '"')
		out = append(out, quoteJSON(string(mask(nil, text, found)))...)
		out = append(out, '"')
		at = l.End
	})
	switch {
	case !ok:
		return m.Bytes(raw)
	case at == 0:
		return raw
	}
	return append(out, raw[at:]...)
}
