package budget

import (
	"bytes"
	"unicode/utf8"
)

// Builder is an output buffer that grows only into memory its account has
// reserved. Writing charges nothing: the table charges for the finished reply.
// After an error from the account, further writes do nothing.
type Builder struct {
	account *Account
	out     []byte
	err     error
	quoted  bool // the output becomes a JSON string
}

// NewBuilder returns an empty output.
func NewBuilder(a *Account) *Builder { return &Builder{account: a} }

// NewQuotedBuilder returns an output that encodes everything written to it as one
// JSON string.
func NewQuotedBuilder(a *Account) *Builder {
	b := &Builder{account: a}
	b.WriteByte('"')
	b.quoted = true
	return b
}

// Quoted reports whether the output is a JSON string.
func (b *Builder) Quoted() bool { return b.quoted }

const (
	smallBuilder = 512
	// Up to this size a builder doubles. Beyond it, it grows by a quarter, so the old
	// and the new buffer together are little more than twice the content.
	doubled = 1 << 20
)

// room makes room for n more bytes.
func (b *Builder) room(n int) bool {
	if b.err != nil {
		return false
	}
	if cap(b.out)-len(b.out) >= n {
		return true
	}
	size := max(smallBuilder, len(b.out)+n)
	if cap(b.out) < doubled {
		size = max(size, 2*cap(b.out))
	} else {
		size = max(size, cap(b.out)+cap(b.out)/4)
	}
	if b.err = b.account.Hold(size); b.err != nil {
		return false
	}
	old := b.out
	b.out = append(make([]byte, 0, size), old...)
	b.account.Drop(cap(old))
	return true
}

// Grow makes room for n bytes that will be written.
func (b *Builder) Grow(n int) { b.room(n) }

func (b *Builder) Write(p []byte) (int, error) {
	if b.quoted {
		escape(b, p)
		return len(p), b.err
	}
	if !b.room(len(p)) {
		return 0, b.err
	}
	b.out = append(b.out, p...)
	return len(p), nil
}

func (b *Builder) WriteString(s string) (int, error) {
	if b.quoted {
		escape(b, s)
	} else {
		appendTo(b, s)
	}
	return len(s), b.err
}

func (b *Builder) WriteByte(c byte) error {
	if b.quoted {
		escape(b, string([]byte{c}))
	} else if b.room(1) {
		b.out = append(b.out, c)
	}
	return b.err
}

func (b *Builder) WriteRune(r rune) (int, error) { return b.WriteString(string(r)) }

const hex = "0123456789abcdef"

// WriteJSONString writes a JSON string as encoding/json does without HTML
// escapes. Invalid UTF-8 becomes U+FFFD.
func (b *Builder) WriteJSONString(s string) { writeJSON(b, s) }

// WriteJSONBytes writes text as WriteJSONString does.
func (b *Builder) WriteJSONBytes(text []byte) { writeJSON(b, text) }

func writeJSON[T string | []byte](b *Builder, s T) {
	if b.room(len(s) + 2) {
		b.WriteByte('"')
		escape(b, s)
		b.WriteByte('"')
	}
}

// escape writes the inside of a JSON string.
func escape[T string | []byte](b *Builder, s T) {
	if !b.room(len(s)) {
		return
	}
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		instead, size := "", 1
		switch {
		case c == '"' || c == '\\':
			instead = `\` + string(s[i:i+1])
		case c == '\b':
			instead = `\b`
		case c == '\f':
			instead = `\f`
		case c == '\n':
			instead = `\n`
		case c == '\r':
			instead = `\r`
		case c == '\t':
			instead = `\t`
		case c < ' ':
			instead = `\u00` + hex[c>>4:c>>4+1] + hex[c&15:c&15+1]
		default:
			var r rune
			if r, size = decodeRune(s[i:]); r == utf8.RuneError && size == 1 {
				instead = `\ufffd`
			} else if r == '\u2028' || r == '\u2029' {
				instead = `\u202` + hex[r&15:r&15+1]
			} else {
				i += size
				continue
			}
		}
		appendTo(b, s[start:i])
		appendTo(b, instead)
		i += size
		start = i
	}
	appendTo(b, s[start:])
}

func decodeRune[T string | []byte](s T) (rune, int) {
	return utf8.DecodeRuneInString(string(s[:min(len(s), utf8.UTFMax)]))
}

func appendTo[T string | []byte](b *Builder, s T) {
	if b.room(len(s)) {
		b.out = append(b.out, s...)
	}
}

// Len returns the number of bytes written.
func (b *Builder) Len() int { return len(b.out) }

// Bytes returns the output, once. It stays held until the function returns.
func (b *Builder) Bytes() ([]byte, error) {
	if b.quoted {
		b.quoted = false
		b.WriteByte('"')
		b.quoted = true
	}
	if b.err != nil {
		return nil, b.err
	}
	return b.out, nil
}

// Err returns the error that ended writing.
func (b *Builder) Err() error { return b.err }

// Done returns the output and releases its memory, for text that is copied
// elsewhere at once.
func (b *Builder) Done() []byte {
	out := b.out
	b.account.Drop(cap(out))
	b.out = nil
	return out
}

// TrimSpace trims white space from both ends of everything after the first from
// bytes.
func (b *Builder) TrimSpace(from int) {
	if b.err == nil {
		b.out = append(b.out[:from], bytes.TrimSpace(b.out[from:])...)
	}
}
