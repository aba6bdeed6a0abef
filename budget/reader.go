package budget

import "io"

// Reader charges for each byte read from another reader. Parsers read their input
// in pieces, so they stop at the next piece once the budget is spent.
type Reader struct {
	account *Account
	from    io.Reader
	rate    uint64
}

// NewReader returns a reader that charges rate units a byte.
func NewReader(a *Account, from io.Reader, rate uint64) *Reader {
	return &Reader{account: a, from: from, rate: rate}
}

// Read reads at most 4 KiB at a time, so the charge is never far ahead of the work.
func (r *Reader) Read(p []byte) (int, error) {
	const piece = 4 << 10
	if len(p) > piece {
		p = p[:piece]
	}
	n, err := r.from.Read(p)
	if failed := r.account.ChargeEach(n, r.rate); failed != nil {
		return 0, failed
	}
	return n, err
}
