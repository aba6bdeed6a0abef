package host

import (
	"math"
	"testing"
)

// FuzzHostileCalls looks for what is costly for its size: it tries an operation
// with a text that repeats two pieces, as the shapes do, and keeps what comes
// close to a bar. An input counts as new when the bytes out for each byte in, or
// the processor time for each unit of fuel, are a power of two above all before.
func FuzzHostileCalls(f *testing.F) {
	for i := range operations {
		s := shapes[i%len(shapes)]
		f.Add(uint8(i), uint8(i), s.head, s.unit, s.middle, s.more, s.tail, uint16(4000))
	}
	for _, s := range shapes {
		for _, op := range []string{"parser.yaml", "parser.csv", "html.parse", "html.select"} {
			f.Add(indexOf(op), uint8(1), s.head, s.unit, s.middle, s.more, s.tail, uint16(8000))
		}
	}
	stage := newStage(f)
	f.Fuzz(func(t *testing.T, op, probe uint8, head, unit, middle, more, tail string, size uint16) {
		row := operations[int(op)%len(operations)]
		p := probes[row.name][int(probe)%len(probes[row.name])]
		o := stage.try(t, row.name, p, shape{head: head, unit: unit, middle: middle, more: more, tail: tail}.of(int(size)))
		checkOutcome(t, row.name, p, o)
		reached(bucket(float64(o.out)/float64(o.in+1)), bucket(float64(o.took)/float64(o.fuel+1)))
	})
}

func indexOf(name string) uint8 {
	for i, op := range operations {
		if op.name == name {
			return uint8(i)
		}
	}
	return 0
}

// bucket is a power of two in eighths.
func bucket(x float64) int { return int(8 * math.Log2(max(x, 1.0/256))) }

// reached has a branch for every value, which is what the fuzzer's coverage sees:
// an input that gets to a higher one is worth keeping.
func reached(growth, price int) (sum int) {
	for i := -64; i < growth; i += 8 {
		sum += levels[(i+64)/8&15](i)
	}
	for i := -64; i < price; i += 8 {
		sum -= levels[(i+64)/8&15](i)
	}
	return sum
}

var levels = [16]func(int) int{
	func(i int) int { return i }, func(i int) int { return i + 1 }, func(i int) int { return i + 2 }, func(i int) int { return i + 3 },
	func(i int) int { return i + 4 }, func(i int) int { return i + 5 }, func(i int) int { return i + 6 }, func(i int) int { return i + 7 },
	func(i int) int { return i * 2 }, func(i int) int { return i * 3 }, func(i int) int { return i * 4 }, func(i int) int { return i * 5 },
	func(i int) int { return i * 6 }, func(i int) int { return i * 7 }, func(i int) int { return i * 8 }, func(i int) int { return i * 9 },
}
