package number

import (
	"math/big"
	"strings"
	"testing"
)

// Rounding is checked against exact fractions: the result must be a multiple of
// the step, no further than a step away, and on the side that the mode says.
func FuzzRound(f *testing.F) {
	for _, seed := range []string{"0", "-0", "1.5", "2.5", "-2.5", "0.05", "99.95", "1e21", "1.5e-7", "123456789.987", "0.0049999", "-0.125"} {
		f.Add(seed, int8(-2), uint8(0), uint8(6))
	}
	f.Add("12.5", int8(0), uint8(5), uint8(8))
	f.Add("12.7", int8(0), uint8(5), uint8(4)) // the middle of a step of 25 lies between two units
	modes := []string{"ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"}
	increments := []int{1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000}
	f.Fuzz(func(t *testing.T, text string, place int8, increment, mode uint8) {
		d, err := parse(text)
		if err != nil || d.kind != finite || d.exponent > 400 || d.exponent < -400 || len(d.digits) > 400 {
			return
		}
		m, step := modes[int(mode)%len(modes)], increments[int(increment)%len(increments)]
		got := fraction(t, d.round(int(place), step, m))
		value := fraction(t, d)
		unit := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(step)), power(int(place)))
		quotient := new(big.Rat).Quo(got, unit)
		if !quotient.IsInt() {
			t.Fatalf("%s rounded %s to %d steps of %d: %s is no multiple", text, m, place, step, got)
		}
		if want := expected(new(big.Rat).Quo(value, unit), m); quotient.Num().Cmp(want) != 0 {
			t.Errorf("%s rounded %s to %d steps of %d: %s, want %s units", text, m, place, step, quotient, want)
		}
	})
}

// expected rounds an exact number to an integer.
func expected(x *big.Rat, mode string) *big.Int {
	down := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean: toward minus infinity here
	rest := new(big.Rat).Sub(x, new(big.Rat).SetInt(down))
	if rest.Sign() == 0 {
		return down
	}
	up := new(big.Int).Add(down, big.NewInt(1))
	half := rest.Cmp(big.NewRat(1, 2))
	positive := x.Sign() > 0
	choose := func(upward bool) *big.Int {
		if upward {
			return up
		}
		return down
	}
	switch mode {
	case "ceil":
		return up
	case "floor":
		return down
	case "expand":
		return choose(positive)
	case "trunc":
		return choose(!positive)
	}
	if half != 0 {
		return choose(half > 0)
	}
	switch mode {
	case "halfCeil":
		return up
	case "halfFloor":
		return down
	case "halfTrunc":
		return choose(!positive)
	case "halfEven":
		return choose(down.Bit(0) == 1)
	}
	return choose(positive)
}

func power(n int) *big.Rat {
	p := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(n, -n))), nil))
	if n < 0 {
		return p.Inv(p)
	}
	return p
}

func fraction(t *testing.T, d decimal) *big.Rat {
	integer, decimals := d.split(1, 1)
	r, ok := new(big.Rat).SetString(integer + "." + decimals)
	if !ok || strings.Trim(integer+decimals, "0123456789") != "" {
		t.Fatalf("%q.%q", integer, decimals)
	}
	if d.negative {
		r.Neg(r)
	}
	return r
}
