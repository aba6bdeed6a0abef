package intl

import "github.com/glovebox-run/glovebox/budget"

// price is what the objects of a service cost, measured at 8 units of fuel a
// nanosecond. None of the work can be interrupted, but all of it is linear, and
// what is held for it keeps it short: with 64 MiB of memory the longest is a sort
// key of a text of 1 MiB, 0.4 s.
type price struct {
	construct uint64 // making one
	kept      int    // bytes that one keeps

	each, eachByte         uint64 // for each argument, and each of its bytes
	heldEach, heldEachByte int    // memory for the answer, and on the way to it
}

// prices has a row for each of constructors.
var prices = map[string]price{
	"DateTimeFormat":     {construct: 2_600_000, kept: 4 << 10, each: 80_000, eachByte: 100, heldEach: 4 << 10, heldEachByte: 2},
	"NumberFormat":       {construct: 400_000, kept: 4 << 10, each: 20_000, eachByte: 5_200, heldEach: 2 << 10, heldEachByte: 32},
	"PluralRules":        {construct: 400_000, kept: 4 << 10, each: 20_000, eachByte: 5_200, heldEach: 1 << 10, heldEachByte: 16},
	"RelativeTimeFormat": {construct: 400_000, kept: 4 << 10, each: 20_000, eachByte: 5_200, heldEach: 2 << 10, heldEachByte: 32},
	"ListFormat":         {construct: 400_000, kept: 1 << 10, each: 10_000, eachByte: 100, heldEach: 256, heldEachByte: 8},
	"DisplayNames":       {construct: 400_000, kept: 1 << 10, each: 20_000, eachByte: 400, heldEach: 1 << 10, heldEachByte: 8},
	"Collator":           {construct: 8_000_000, kept: 24 << 10, each: 20_000, eachByte: 4_800, heldEach: 1 << 10, heldEachByte: 64},
	"Segmenter":          {construct: 400_000, kept: 1 << 10, each: 4_000, eachByte: 900, heldEach: 1 << 10, heldEachByte: 32},
}

// made pays for an object of the service.
func (p price) made(account *budget.Account) error {
	if err := account.Keep(p.kept); err != nil {
		return err
	}
	return account.Charge(p.construct)
}

// used pays for one use.
func (p price) used(account *budget.Account, args []string) error {
	bytes := 0
	for _, arg := range args {
		bytes += len(arg)
	}
	if err := account.Hold(p.heldEach*len(args) + p.heldEachByte*bytes); err != nil {
		return err
	}
	if err := account.ChargeEach(len(args), p.each); err != nil {
		return err
	}
	if err := account.ChargeEach(bytes, p.eachByte); err != nil {
		return err
	}
	return account.Check()
}
