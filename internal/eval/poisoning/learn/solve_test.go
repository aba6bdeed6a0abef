package learn

import (
	"math"
	"slices"
	"testing"
)

// The solution is where the gradient vanishes, and the same from any start.
func TestSolveFindsTheOneSolution(t *testing.T) {
	p := problem{penalty: []float64{1, 1, 1, 0}, samples: []sample{
		{[]uint32{0, 1}, true, 2}, {[]uint32{0}, true, 1}, {[]uint32{1, 2}, false, 1}, {[]uint32{2}, false, 3}, {[]uint32{0, 2}, false, 1},
	}}
	a, b := make([]float64, 4), []float64{3, -2, 1, -3}
	p.solve(a, 200)
	p.solve(b, 200)
	g := make([]float64, 4)
	p.at(a, g)
	for i := range a {
		if math.Abs(a[i]-b[i]) > 0.01 || math.Abs(g[i]) > 0.01 {
			t.Errorf("weight %d: %.4f and %.4f, gradient %.4f", i, a[i], b[i], g[i])
		}
	}
	if a[0] <= a[2] {
		t.Errorf("%v: a feature of attacks weighs less than one of honest texts", a)
	}
}

// The gradient is that of the loss.
func TestGradient(t *testing.T) {
	p := problem{penalty: []float64{0.5, 2, 0}, samples: []sample{{[]uint32{0}, true, 2}, {[]uint32{0, 1}, false, 1.5}}}
	w, g, other := []float64{0.3, -0.7, 0.2}, make([]float64, 3), make([]float64, 3)
	p.at(w, g)
	for i := range w {
		const h = 1e-5
		up, down := slices.Clone(w), slices.Clone(w)
		up[i] += h
		down[i] -= h
		if slope := (p.at(up, other) - p.at(down, other)) / (2 * h); math.Abs(slope-g[i]) > 1e-6 {
			t.Errorf("weight %d: slope %f, gradient %f", i, slope, g[i])
		}
	}
}
