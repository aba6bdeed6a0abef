package jsvalue

// piece is how many bytes are copied at a time. Go cannot stop a goroutine inside
// one copy, and its collector has to wait for it: 64 MiB in one go take 10 to
// 20 ms where the memory is new, 256 KiB less than 0.1 ms.
const piece = 256 << 10

// Copy is the built-in copy, a piece at a time.
func Copy(to, from []byte) int {
	copied := 0
	for len(from) > piece && len(to) > piece {
		n := copy(to[:piece], from)
		to, from, copied = to[n:], from[n:], copied+n
	}
	return copied + copy(to, from)
}

// grow makes room for n more bytes, as append does.
func grow(b []byte, n int) []byte {
	if cap(b)-len(b) >= n || len(b)+n <= piece {
		return b
	}
	larger := make([]byte, len(b), max(2*cap(b), len(b)+n))
	Copy(larger, b)
	return larger
}

// appendPieces is append, a piece at a time.
func appendPieces(to, from []byte) []byte {
	if len(from) <= piece {
		return append(to, from...)
	}
	to = grow(to, len(from))
	n := len(to)
	to = to[:n+len(from)]
	Copy(to[n:], from)
	return to
}
