package budget_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/quick"

	"github.com/glovebox-run/glovebox/budget"
)

func TestFuelEndsAtTheSamePointHoweverItIsCharged(t *testing.T) {
	const limit = 5_000_000
	for _, step := range []uint64{1, 7, 999, 1_000_000, limit} {
		a := budget.NewAccount(t.Context(), limit, 0)
		for a.Left() >= step {
			if err := a.Charge(step); err != nil {
				t.Fatalf("step %d: %v with %d of %d spent", step, err, a.Spent(), limit)
			}
		}
		if err := a.Charge(a.Left() + 1); !errors.Is(err, budget.ErrFuel) || a.Spent() != limit {
			t.Errorf("step %d: %v with %d spent", step, err, a.Spent())
		}
		if err := a.Charge(1); !errors.Is(err, budget.ErrFuel) {
			t.Errorf("step %d: a spent account allows more: %v", step, err)
		}
	}
}

func TestTheZeroAccountAllowsNothing(t *testing.T) {
	var a budget.Account
	if err := a.Charge(1); !errors.Is(err, budget.ErrFuel) {
		t.Error(err)
	}
	var b budget.Account
	if err := b.Hold(1); !errors.Is(err, budget.ErrMemory) {
		t.Error(err)
	}
	if a.Free() != 0 || a.Left() != 0 {
		t.Error(a.Free(), a.Left())
	}
}

func TestNoChargeIsTooLarge(t *testing.T) {
	for _, charge := range []func(*budget.Account) error{
		func(a *budget.Account) error { return a.Charge(math.MaxUint64) },
		func(a *budget.Account) error { a.Charge(10); return a.Charge(math.MaxUint64 - 5) },
		func(a *budget.Account) error { return a.ChargeEach(math.MaxInt, math.MaxUint64) },
	} {
		a := budget.NewAccount(t.Context(), math.MaxInt64, 0)
		if err := charge(a); !errors.Is(err, budget.ErrFuel) {
			t.Error(err)
		}
	}
	a := budget.NewAccount(t.Context(), 1, math.MaxUint64)
	if err := a.Hold(math.MaxInt); !errors.Is(err, budget.ErrMemory) && err != nil {
		t.Error(err)
	}
	if err := a.Hold(math.MaxInt); !errors.Is(err, budget.ErrMemory) {
		t.Error("twice all there is was held", err)
	}
}

func TestCancellationIsSeenWhileWorking(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	a := budget.NewAccount(ctx, 1<<40, 0)
	cancel()
	charged := uint64(0)
	for a.Charge(1000) == nil {
		if charged += 1000; charged > 10_000_000 {
			t.Fatal("never seen")
		}
	}
	if !errors.Is(a.Err(), context.Canceled) {
		t.Error(a.Err())
	}
}

func TestMemoryIsOneNumber(t *testing.T) {
	l := budget.NewLedger(100, 40)
	a, b := l.Open(t.Context(), 10), l.Open(t.Context(), 10)
	if err := a.Hold(30); err != nil {
		t.Fatal(err)
	}
	if l.Reserve(31) || !l.Reserve(10) {
		t.Error("the guest does not see what Go holds")
	}
	if err := b.Keep(21); !errors.Is(err, budget.ErrMemory) {
		t.Error(err)
	}
	c := l.Open(t.Context(), 10)
	if err := c.Keep(20); err != nil {
		t.Error(err)
	}
	a.Close()
	c.Close()
	if free := l.Free(); free != 30 {
		t.Errorf("%d bytes are free: what is kept must outlive the function, what is held must not", free)
	}
	c.Forget(20)
	if l.Free() != 50 || l.Peak() != 100 {
		t.Errorf("%d free, %d at most", l.Free(), l.Peak())
	}
}

func TestHoldOnly(t *testing.T) {
	l := budget.NewLedger(100, 0)
	a := l.Open(t.Context(), 0)
	for _, c := range []struct{ held, want int64 }{{60, 40}, {20, 80}, {90, 10}, {0, 100}} {
		if err := a.HoldOnly(int(c.held)); err != nil || l.Free() != c.want {
			t.Errorf("%d: %d free, %v", c.held, l.Free(), err)
		}
	}
	if err := a.HoldOnly(101); !errors.Is(err, budget.ErrMemory) {
		t.Error(err)
	}
}

// Functions that run at the same time share what is left.
func TestManyAtOnceSpendNoMoreThanOne(t *testing.T) {
	const limit = 50_000_000
	l := budget.NewLedger(0, 0)
	var accounts []*budget.Account
	for range 10 {
		accounts = append(accounts, l.Open(t.Context(), limit))
	}
	total := uint64(0)
	for range 2 * limit / 1_000_000 {
		for _, a := range accounts {
			if a.Charge(1_000_000) == nil {
				total += 1_000_000
			}
		}
	}
	if total > limit+10_000_000 {
		t.Errorf("ten functions have spent %d of %d", total, limit)
	}
	for _, a := range accounts {
		a.Settle()
		a.Settle() // counts once
	}
	if a := l.Open(t.Context(), limit); a.Charge(limit-1) != nil {
		t.Error("what is settled still counts")
	}
}

func TestBuilderReservesBeforeItGrows(t *testing.T) {
	a := budget.NewAccount(t.Context(), 0, 10_000)
	b := budget.NewBuilder(a)
	for range 1000 {
		b.WriteString("0123456789abcdef")
	}
	if out, err := b.Bytes(); out != nil || !errors.Is(err, budget.ErrMemory) || b.Len() > 10_000 {
		t.Error(len(out), err, b.Len())
	}
	a = budget.NewAccount(t.Context(), 0, 10<<20)
	b = budget.NewBuilder(a)
	piece := strings.Repeat("x", 1000)
	for range 4000 {
		b.WriteString(piece)
	}
	out, err := b.Bytes()
	if err != nil || len(out) != 4_000_000 {
		t.Error(len(out), err)
	}
	if held := 10<<20 - a.Free(); held < cap(out) || held > cap(out) {
		t.Errorf("%d bytes are held for a buffer of %d", held, cap(out))
	}
}

func TestJSONStringsAreThoseOfTheLibrary(t *testing.T) {
	same := func(s string) bool {
		b := budget.NewBuilder(budget.NewAccount(t.Context(), 0, 1<<20))
		b.WriteJSONString(s)
		got, err := b.Bytes()
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err != nil || enc.Encode(s) != nil {
			return false
		}
		if string(got)+"\n" != want.String() {
			t.Errorf("%q: %s, want %s", s, got, want.Bytes())
		}
		return true
	}
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	for _, s := range []string{"", string(all), "\u2028\u2029\u202a", "a\xe2\x80", "<&>\x7f", "\U0001f600"} {
		same(s)
	}
	if err := quick.Check(func(s string, raw []byte) bool { return same(s) && same(string(raw)) }, nil); err != nil {
		t.Error(err)
	}
}

func TestReaderStopsWhenTheBudgetIsSpent(t *testing.T) {
	a := budget.NewAccount(t.Context(), 100_000, 0)
	r := budget.NewReader(a, strings.NewReader(strings.Repeat("x", 1<<20)), 10)
	buffer := make([]byte, 1<<20)
	total := 0
	for {
		n, err := r.Read(buffer)
		if total += n; err != nil {
			if !errors.Is(err, budget.ErrFuel) {
				t.Error(err)
			}
			break
		}
	}
	if total > 10_000 {
		t.Errorf("%d bytes were read for the price of 10,000", total)
	}
}

func TestAQuotedBuilderIsOneJSONString(t *testing.T) {
	same := func(pieces []string) bool {
		b := budget.NewQuotedBuilder(budget.NewAccount(t.Context(), 0, 1<<20))
		for i, p := range pieces {
			switch i % 3 {
			case 0:
				b.WriteString(p)
			case 1:
				b.Write([]byte(p))
			default:
				for _, r := range p {
					b.WriteRune(r)
				}
			}
		}
		b.WriteByte('"')
		got, err := b.Bytes()
		var text string
		return err == nil && json.Unmarshal(got, &text) == nil && text == strings.Join(pieces, "")+`"`
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
}
