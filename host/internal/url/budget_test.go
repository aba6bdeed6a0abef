package url

import (
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
)

// Forms reserve the pairs or the text before they are made, and charge for each.
func TestLongFormsEndAtTheAccount(t *testing.T) {
	pairs := make([][2]string, 10_000)
	for i := range pairs {
		pairs[i] = [2]string{"é", "é"}
	}
	for name, call := range map[string]func(*budget.Account) error{
		"read": func(a *budget.Account) error {
			_, err := ReadForm(t.Context(), a, strings.Repeat("&", 1<<20))
			return err
		},
		"write": func(a *budget.Account) error { _, err := WriteForm(t.Context(), a, pairs); return err },
	} {
		if err := call(budget.NewAccount(t.Context(), 1<<50, 64<<10)); !errors.Is(err, budget.ErrMemory) {
			t.Errorf("%s in 64 KiB: %v", name, err)
		}
		if err := call(budget.NewAccount(t.Context(), 1_000_000, 1<<40)); !errors.Is(err, budget.ErrFuel) {
			t.Errorf("%s with little fuel: %v", name, err)
		}
	}
}
