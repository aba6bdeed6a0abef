package jsengine

import "time"

// OperationsPerStatement is the published rate between the executed bytecode
// operations that the interpreter counts and the statements of Limits. Over the
// tool code of testdata/rate a statement takes 6 to 30 operations (geometric mean
// 13.7); the rate is the largest, so that no tool within its number of statements
// is stopped for being dense.
const OperationsPerStatement = 30

// A library in a program's code runs once as it loads: its statements grow with
// its size, unlike those of a loop. Code beyond freeCode bytes adds
// statementsPerByte to the limit. mathjs, with 1.3 a byte the densest of 39
// libraries, loads in 2.15 million statements.
const (
	freeCode          = 16 << 10
	statementsPerByte = 2
)

// forLoading is what a program's own size adds to its limit of statements.
func forLoading(code int) uint64 { return uint64(max(0, code-freeCode)) * statementsPerByte }

// Limits bound one call. A zero field stands for its default, so the zero value
// is the policy most calls run under; there is no way to ask for no limit.
type Limits struct {
	Statements   uint64        // JavaScript statements, as OperationsPerStatement operations each, without those for loading large code
	Fuel         uint64        // WebAssembly instructions, surcharges (Usage.Bulk), and the work of host calls at budget's rates
	Time         time.Duration // wall clock
	Memory       uint64        // bytes of linear memory, in whole Wasm pages of 64 KiB, and of what Go holds for the call
	Output       int           // bytes of JSON
	ConsoleLines int           // lines kept; later ones are counted and dropped
	ConsoleBytes int           // bytes of all lines together; later ones are counted and dropped
	HostCalls    int           // number of host calls
	HostBytes    int           // bytes that cross the border in either direction
	InFlight     int           // asynchronous host calls at one time
}

// DefaultLimits are what a zero field stands for.
//
// 130 programs that repeat one built-in each hold a core for 0.2 to 2.5 s on the
// default fuel (bench, part fuel; twice that beside other work): patterns 1.4, sorting
// 1.5, BigInt and JSON 1.7, a recursion to its limit 2.5. What only follows pointers
// through a heap larger than any cache is charged for its waiting (package guest):
// 90,000 prototypes 1.3 s, lookups in sets 2.0.
var DefaultLimits = Limits{
	Statements:   500_000,          // as the specification says
	Fuel:         10_000_000_000,   // a second or two of work; parses and serialises 20 MiB of JSON
	Time:         30 * time.Second, // as the specification says
	Memory:       64 << 20,         // room for a few copies of the largest reply, 10 MiB
	Output:       16 << 20,         // the largest reply, and escaping
	ConsoleLines: 1_000,            // as the reference keeps
	ConsoleBytes: 1 << 20,          // a thousand lines of 1 KiB
	HostCalls:    100_000,          // a table of a hundred thousand cells, each of them read
	HostBytes:    256 << 20,        // 25 of the largest replies
	InFlight:     256,              // a goroutine and perhaps a socket each
}

func (l Limits) withDefaults() Limits { return l.Or(DefaultLimits) }

// Or returns the limits with unset fields taken from defaults.
func (l Limits) Or(defaults Limits) Limits {
	orDefault(&l.Statements, defaults.Statements)
	orDefault(&l.Fuel, defaults.Fuel)
	orDefault(&l.Time, defaults.Time)
	orDefault(&l.Memory, defaults.Memory)
	orDefault(&l.Output, defaults.Output)
	orDefault(&l.ConsoleLines, defaults.ConsoleLines)
	orDefault(&l.ConsoleBytes, defaults.ConsoleBytes)
	orDefault(&l.HostCalls, defaults.HostCalls)
	orDefault(&l.HostBytes, defaults.HostBytes)
	orDefault(&l.InFlight, defaults.InFlight)
	return l
}

func orDefault[T int | uint64 | time.Duration](field *T, value T) {
	if *field <= 0 {
		*field = value
	}
}

// Usage is what a call spent, whether it succeeded or failed.
type Usage struct {
	Statements uint64        // Operations / OperationsPerStatement, rounded up
	Operations uint64        // bytecode operations the interpreter executed
	Fuel       uint64        // WebAssembly instructions, Bulk, and the work of host calls
	Bulk       uint64        // the part of Fuel that is surcharges: bytes moved in bulk, and pointers followed all over the heap
	Elapsed    time.Duration // wall clock
	PeakMemory uint64        // bytes of linear memory, with the image's own, and of what Go held
	HostCalls  int
	HostBytes  int
}
