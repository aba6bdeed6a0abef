package budget

// The guest runs five to ten units of fuel in a nanosecond. Rates give Go's work
// the same price: about eight units for each nanosecond on the machines we
// measured, rounded up. They are part of the interface: a change moves the point
// at which a call ends.
const (
	// UnitsPerMicrosecond converts the measured time of an operation into fuel.
	UnitsPerMicrosecond = 8_000

	// Element is one visit to a node, a row, a field or a map entry.
	Element = 200
	// Allocation is making a small object, with its share of garbage collection.
	Allocation = 800
	// Byte is copying a byte, or comparing it.
	Byte = 1
	// Scan is looking at a byte in a loop: decoding, escaping, splitting.
	Scan = 16
)

// Rate is the price that the table charges for every call of an operation. What
// the operation does beyond looking at each byte once, it charges itself.
type Rate struct {
	Call uint64 // for the call itself
	In   uint64 // for each byte of the request
	Out  uint64 // for each byte of the reply
}

// The rates of operations. Rates that charge less than the work are mistakes that
// the benchmark of package host shows.
var (
	// Copied is for bytes that are moved and not looked at.
	Copied = Rate{Call: 4_000, In: 2, Out: 2}
	// Scanned is for bytes that are decoded or encoded one by one.
	Scanned = Rate{Call: 4_000, In: Scan, Out: Scan}
	// Structured is for requests and replies that are JSON.
	Structured = Rate{Call: 8_000, In: 80, Out: 24}
)

// Begin charges for a call and its request.
func (r Rate) Begin(a *Account, request int) error {
	return a.Charge(r.Call + uint64(request)*r.In)
}

// End charges for a reply.
func (r Rate) End(a *Account, reply int) error {
	return a.Charge(uint64(reply) * r.Out)
}
