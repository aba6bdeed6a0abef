package intl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
)

func TestEveryServiceHasAPrice(t *testing.T) {
	for name := range constructors {
		if p := prices[name]; p.construct == 0 || p.kept == 0 || p.each == 0 || p.eachByte == 0 || p.heldEach == 0 || p.heldEachByte == 0 {
			t.Errorf("%s costs %+v", name, p)
		}
	}
	for name := range prices {
		if constructors[name] == nil {
			t.Errorf("there is no service %s", name)
		}
	}
}

// Whatever is long or many ends at the account, and before the work is done.
func TestLongArgumentsEndAtTheAccount(t *testing.T) {
	for _, c := range []struct{ service, options, verb, arg string }{
		{"Collator", `{"numeric":true}`, "key", "1a"},
		{"Collator", `{}`, "key", "ab"},
		{"Segmenter", `{}`, "segment", "a"},
		{"Segmenter", `{"granularity":"word"}`, "segment", "a'"},
		{"NumberFormat", `{}`, "format", "9"},
		{"NumberFormat", `{"notation":"compact"}`, "range", "9"},
		{"ListFormat", `{}`, "parts", "9"},
	} {
		text := fmt.Appendf(nil, "{\"service\":%q,\"options\":%s}\n=%s\n%s", c.service, c.options, c.verb, strings.Repeat(c.arg, 2<<20))
		ask := func(ctx context.Context, fuel, memory uint64) error {
			_, _, err := new(Session).Format(ctx, budget.NewAccount(ctx, fuel, memory), text, nil)
			return err
		}
		if err := ask(t.Context(), 200_000_000, 1<<40); !errors.Is(err, budget.ErrFuel) {
			t.Errorf("%s with little fuel: %v", c.service, err)
		}
		if err := ask(t.Context(), 1<<60, 1<<20); !errors.Is(err, budget.ErrMemory) {
			t.Errorf("%s with little memory: %v", c.service, err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := ask(ended, 1<<60, 1<<40); !errors.Is(err, context.Canceled) {
			t.Errorf("%s without a caller: %v", c.service, err)
		}
	}
}

// Formatters that are made over and over cost what making them takes, and those
// that are dropped give their memory back.
func TestFormattersAreCharged(t *testing.T) {
	s := new(Session)
	a := budget.NewAccount(t.Context(), 1<<40, 16<<20)
	for n := range 4 * keptFormatters {
		if _, _, err := s.Resolve(t.Context(), a, fmt.Appendf(nil, `{"service":"Collator"%s}`, strings.Repeat(" ", n)), nil); err != nil {
			t.Fatalf("the %dth: %v", n, err)
		}
	}
	if want := 4 * keptFormatters * prices["Collator"].construct; a.Spent() < want {
		t.Errorf("%d units for %d collators, want %d", a.Spent(), 4*keptFormatters, want)
	}
	if kept := 16<<20 - a.Free(); kept > keptFormatters*prices["Collator"].kept {
		t.Errorf("%d bytes are kept", kept)
	}
}
