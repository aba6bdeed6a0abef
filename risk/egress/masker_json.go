package egress

// JSON masks the strings, member names and numbers of a JSON text. Strings are
// searched unescaped, so that an escape inside a secret cannot hide it. A number that
// contains a secret becomes a string. All other bytes stay the same. A text that is
// not JSON is masked as by [Masker.Bytes].
func (m *Masker) JSON(raw []byte) []byte {
	if m == nil || m.find == nil {
		return raw
	}
	var (
		w       walker
		out     []byte
		at      int
		decoded []byte
	)
	ok := w.walk(raw, func(l leaf) {
		text := raw[l.start:l.end]
		if l.kind != leafNumber {
			text = text[1 : len(text)-1]
		}
		if l.escaped {
			decoded = unquote(decoded[:0], text)
			text = decoded
		}
		found := locate(m, text)
		if len(found) == 0 {
			return
		}
		out = append(out, raw[at:l.start]...)
		out = append(out, '"')
		out = append(out, quoteJSON(string(mask(nil, text, found)))...)
		out = append(out, '"')
		at = l.end
	})
	switch {
	case !ok:
		return m.Bytes(raw)
	case at == 0:
		return raw
	}
	return append(out, raw[at:]...)
}
