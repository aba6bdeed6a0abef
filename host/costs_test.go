package host

import (
	"context"
	"errors"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

func TestEveryOperationHasItsPrice(t *testing.T) {
	for _, op := range operations {
		if op.cost.rate.Call == 0 || op.cost.rate.In == 0 || op.cost.rate.Out == 0 {
			t.Errorf("%s does not say what a call and its bytes cost: %+v", op.name, op.cost)
		}
	}
}

// The table charges whatever the handler does, and asks the account whatever the
// handler says.
func TestTheTableChargesAndAsks(t *testing.T) {
	g := mint(t, catalog.Posture{}, World{})
	rate := budget.Rate{Call: 1000, In: 10, Out: 100}
	calls := 0
	g.table.rows["test.echo"] = row{func(_ context.Context, _ *budget.Account, text, blob []byte) ([]byte, []byte, error) {
		calls++
		return text, blob, nil
	}, false, rate}
	g.table.rows["test.hide"] = row{func(_ context.Context, a *budget.Account, _, _ []byte) ([]byte, []byte, error) {
		if a.Charge(1_000_000) != nil {
			return nil, nil, hostcall.Errorf(hostcall.Runtime, "test", "hidden", "")
		}
		return nil, nil, nil
	}, false, rate}

	ask := func(fuel uint64, op string) (uint64, error) {
		a := budget.NewAccount(t.Context(), fuel, 0)
		_, _, err := g.Table().Call(t.Context(), a, op, []byte("abc"), []byte("de"))
		return a.Spent(), err
	}
	if spent, err := ask(1_000_000, "test.echo"); err != nil || spent != 1000+5*10+5*100 {
		t.Errorf("%d, %v", spent, err)
	}
	if _, err := ask(1550, "test.echo"); err != nil {
		t.Error(err)
	}
	if _, err := ask(1549, "test.echo"); !errors.Is(err, budget.ErrFuel) {
		t.Errorf("the reply was not charged: %v", err)
	}
	before := calls
	if _, err := ask(1049, "test.echo"); !errors.Is(err, budget.ErrFuel) || calls != before {
		t.Errorf("the request was not charged before the handler ran: %v", err)
	}
	if _, err := ask(10_000, "test.hide"); !errors.Is(err, budget.ErrFuel) {
		t.Errorf("the guest could catch this: %v", err)
	}
}
