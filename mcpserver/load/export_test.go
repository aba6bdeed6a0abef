package load

import "time"

// NewArrivals returns when the next call begins, and its kind.
func NewArrivals(p *Plan) func() (time.Duration, int) {
	a := newArrivals(p)
	return func() (time.Duration, int) { next := a.next(); return next.at, next.kind }
}

var Quantile = quantile
