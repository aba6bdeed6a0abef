// Package budgettest has accounts for tests of host functions.
package budgettest

import (
	"context"

	"github.com/glovebox-run/glovebox/budget"
)

// Ample returns an account that no test exhausts: minutes of work, 4 GiB.
func Ample() *budget.Account {
	return budget.NewAccount(context.Background(), 1<<50, 4<<30)
}
