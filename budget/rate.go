package budget

// The guest runs five to ten units of fuel in a nanosecond. Rates price Go's work
// the same: about eight units for each nanosecond on the machines we measured,
// rounded up. Rates are part of the interface: changing one moves the point at
// which a call ends.
const (
	// UnitsPerMicrosecond converts the measured time of an operation into fuel.
	UnitsPerMicrosecond = 8_000

	// Element is the price of visiting one node, row, field or map entry.
	Element = 200
	// Allocation is the price of a small object, with its share of garbage collection.
	Allocation = 800
	// Byte is the price of copying or comparing one byte.
	Byte = 1
	// Scan is the price of one byte in a loop that decodes, escapes or splits.
	Scan = 16
)

// Rate is the price that the table charges for every call of an operation. The
// operation itself charges for any work beyond reading each byte once.
type Rate struct {
	Call uint64 // for the call itself
	In   uint64 // for each byte of the request
	Out  uint64 // for each byte of the reply
}

// The rates of operations. The benchmark in package host exposes a rate that
// charges less than the work costs.
var (
	// Copied is for bytes that are moved without being read.
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
