package number

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
)

// decimal is 0.DIGITS times ten to the exponent, exactly. Digits have no zeros
// at either end; none at all is zero.
type decimal struct {
	kind     kind
	negative bool
	digits   []byte // '0' to '9'
	exponent int
}

type kind byte

const (
	finite kind = iota
	infinite
	notANumber
)

// maxDigits bounds what is written out: the longest text that a number of
// JavaScript has is 309 digits, a BigInt or a text may be longer.
const maxDigits = 100_000

var errTooLong = errors.New("the number has too many digits")

// parse reads what JavaScript's String makes of a number or a BigInt, or the
// decimal text of a numeric string. What it cannot read is not a number.
func parse(text string) (decimal, error) {
	var d decimal
	text, d.negative = strings.CutPrefix(text, "-")
	if !d.negative {
		text = strings.TrimPrefix(text, "+")
	}
	if text == "Infinity" {
		d.kind = infinite
		return d, nil
	}
	mantissa, exponent, ok := strings.Cut(strings.ToLower(text), "e")
	if ok {
		n, err := strconv.Atoi(exponent)
		if err != nil || n > maxDigits || n < -maxDigits {
			return d, errTooLong
		}
		d.exponent = n
	}
	integer, fraction, _ := strings.Cut(mantissa, ".")
	if len(integer)+len(fraction) > maxDigits {
		return d, errTooLong
	}
	all := []byte(integer + fraction)
	if len(all) == 0 {
		return decimal{kind: notANumber}, nil
	}
	for _, c := range all {
		if c < '0' || c > '9' {
			return decimal{kind: notANumber}, nil
		}
	}
	d.exponent += len(integer)
	d.set(all)
	return d, nil
}

// set takes digits that start at the exponent and drops zeros at both ends.
func (d *decimal) set(digits []byte) {
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
		d.exponent--
	}
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	d.digits = digits
	if len(digits) == 0 {
		d.exponent = 0
	}
}

func (d decimal) zero() bool { return d.kind == finite && len(d.digits) == 0 }

// magnitude is the power of ten of the first digit.
func (d decimal) magnitude() int {
	if len(d.digits) == 0 {
		return 0
	}
	return d.exponent - 1
}

// shift multiplies by a power of ten.
func (d decimal) shift(by int) decimal {
	if len(d.digits) > 0 {
		d.exponent += by
	}
	return d
}

// round makes the number a multiple of increment times ten to the place.
func (d decimal) round(place, increment int, mode string) decimal {
	if d.kind != finite || len(d.digits) == 0 {
		return d
	}
	kept := d.exponent - place
	if kept >= len(d.digits) && increment == 1 {
		return d
	}
	kept = max(kept, -1)
	// units is the number in units of the place, cut; rest compares what was cut
	// off with half a unit: -2 nothing, -1 less, 0 half, 1 more.
	var whole []byte
	rest := -2
	switch {
	case kept >= len(d.digits):
		whole = append(append([]byte{}, d.digits...), strings.Repeat("0", kept-len(d.digits))...)
	case kept < 0:
		rest = -1
	default:
		whole = d.digits[:kept]
		switch next := d.digits[kept]; {
		case next > '5' || next == '5' && kept+1 < len(d.digits):
			rest = 1
		case next == '5':
			rest = 0
		default:
			rest = -1
		}
	}
	r := decimal{negative: d.negative, exponent: len(whole) + place}
	if increment == 1 {
		odd := len(whole) > 0 && (whole[len(whole)-1]-'0')%2 == 1
		digits := append([]byte{}, whole...)
		if away(mode, d.negative, rest, odd) {
			digits = addOne(digits)
			r.exponent = len(digits) + place
		}
		r.set(digits)
		return r
	}
	units, _ := new(big.Int).SetString("0"+string(whole), 10)
	step := big.NewInt(int64(increment))
	quotient, remainder := new(big.Int).QuoRem(units, step, new(big.Int))
	exact := rest == -2
	doubled := remainder.Lsh(remainder, 1)
	switch next := new(big.Int).Add(doubled, big.NewInt(1)); {
	case exact && doubled.Sign() == 0:
	case exact:
		rest = doubled.Cmp(step)
	case next.Cmp(step) == 0: // the middle of an odd step is half a unit: rest decides
	case doubled.Cmp(step) >= 0:
		rest = 1
	default:
		rest = -1
	}
	if away(mode, d.negative, rest, quotient.Bit(0) == 1) {
		quotient.Add(quotient, big.NewInt(1))
	}
	digits := []byte(quotient.Mul(quotient, step).String())
	r.exponent = len(digits) + place
	r.set(digits)
	return r
}

func addOne(digits []byte) []byte {
	for i := len(digits) - 1; i >= 0; i-- {
		if digits[i] < '9' {
			digits[i]++
			return digits
		}
		digits[i] = '0'
	}
	return append([]byte{'1'}, digits...)
}

// away reports whether a rounding mode goes away from zero.
func away(mode string, negative bool, rest int, odd bool) bool {
	if rest == -2 {
		return false
	}
	switch mode {
	case "ceil":
		return !negative
	case "floor":
		return negative
	case "expand":
		return true
	case "trunc":
		return false
	}
	if rest != 0 {
		return rest > 0
	}
	switch mode {
	case "halfCeil":
		return !negative
	case "halfFloor":
		return negative
	case "halfTrunc":
		return false
	case "halfEven":
		return odd
	}
	return true
}

// split writes the number with at least as many digits on both sides.
func (d decimal) split(minInteger, minFraction int) (integer, fraction string) {
	var i, f strings.Builder
	for at := range max(d.exponent, 0) {
		i.WriteByte(d.digit(at))
	}
	for at := d.exponent; at < 0 && len(d.digits) > 0; at++ {
		f.WriteByte('0')
	}
	for at := max(d.exponent, 0); at < len(d.digits); at++ {
		f.WriteByte(d.digits[at])
	}
	integer, fraction = i.String(), f.String()
	integer = strings.Repeat("0", max(0, minInteger-len(integer))) + integer
	fraction += strings.Repeat("0", max(0, minFraction-len(fraction)))
	return integer, fraction
}

func (d decimal) digit(at int) byte {
	if at < len(d.digits) {
		return d.digits[at]
	}
	return '0'
}
