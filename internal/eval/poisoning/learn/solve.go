package learn

import "math"

// sample is one passage: its features, whether it is taken for an attack, and how
// much it counts.
type sample struct {
	features []uint32
	attack   bool
	weight   float64
}

// problem is logistic regression with a penalty on the square of each weight. It is
// convex, so its solution does not depend on an order of the samples or on a seed.
type problem struct {
	samples []sample
	penalty []float64 // of each weight; the last weight is the bias
}

// at returns the loss at w and writes its gradient.
func (p *problem) at(w, gradient []float64) (loss float64) {
	for i, v := range w {
		gradient[i] = p.penalty[i] * v
		loss += 0.5 * p.penalty[i] * v * v
	}
	bias := len(w) - 1
	for i := range p.samples {
		s := &p.samples[i]
		z := w[bias]
		for _, f := range s.features {
			z += w[f]
		}
		d := s.weight
		if s.attack {
			z, d = -z, -d
		}
		if z < negligible {
			continue
		}
		// log(1+exp(z)), of which exp must not overflow
		if z > 0 {
			e := math.Exp(-z)
			loss += s.weight * (z + math.Log1p(e))
			d /= 1 + e
		} else {
			e := math.Exp(z)
			loss += s.weight * math.Log1p(e)
			d *= e / (1 + e)
		}
		gradient[bias] += d
		for _, f := range s.features {
			gradient[f] += d
		}
	}
	return loss
}

// negligible is a margin from which on a sample is not counted.
const negligible = -16

// memory is how many steps back the curvature is remembered.
const memory = 8

// solve improves w by at most steps steps of L-BFGS (Nocedal and Wright, algorithm 7.5).
func (p *problem) solve(w []float64, steps int) {
	n := len(w)
	g, next, nextG, dir := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	var moves, turns [memory][]float64
	var curve, alpha [memory]float64
	loss := p.at(w, g)
	kept := 0
	for range steps {
		copy(dir, g)
		for k := kept - 1; k >= max(0, kept-memory); k-- {
			i := k % memory
			alpha[i] = dot(moves[i], dir) / curve[i]
			add(dir, -alpha[i], turns[i])
		}
		if kept > 0 {
			i := (kept - 1) % memory
			scale(dir, curve[i]/dot(turns[i], turns[i]))
		} else {
			scale(dir, 1/math.Max(1, math.Sqrt(dot(g, g))))
		}
		for k := max(0, kept-memory); k < kept; k++ {
			i := k % memory
			add(dir, alpha[i]-dot(turns[i], dir)/curve[i], moves[i])
		}
		slope := dot(dir, g)
		step, better := 1.0, false
		for range 12 {
			copy(next, w)
			add(next, -step, dir)
			nextLoss := p.at(next, nextG)
			if nextLoss <= loss-1e-4*step*slope {
				better = loss-nextLoss > 1e-6*loss
				loss = nextLoss
				break
			}
			step /= 2
		}
		if !better {
			return
		}
		i := kept % memory
		if moves[i] == nil {
			moves[i], turns[i] = make([]float64, n), make([]float64, n)
		}
		for k := range w {
			moves[i][k], turns[i][k] = next[k]-w[k], nextG[k]-g[k]
		}
		copy(w, next)
		copy(g, nextG)
		if curve[i] = dot(moves[i], turns[i]); curve[i] > 0 {
			kept++
		}
	}
}

func dot(a, b []float64) (sum float64) {
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}

func add(to []float64, times float64, what []float64) {
	for i, v := range what {
		to[i] += times * v
	}
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}
