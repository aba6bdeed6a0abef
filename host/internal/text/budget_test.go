package text

import (
	"bytes"
	"errors"
	"testing"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// Every operation reserves what it makes of a long text before it makes it.
func TestLongTextsAreReserved(t *testing.T) {
	long := bytes.Repeat([]byte("a"), 1<<20)
	for name, c := range map[string]struct {
		handler    hostcall.Handler
		text, blob []byte
	}{
		"btoa":       {Btoa, long, nil},
		"atob":       {Atob, long, nil},
		"encodeInto": {EncodeInto, append([]byte("2000000\n"), long...), nil},
		"decode":     {NewDecoders().Decode, []byte(`{"label":"windows-1252"}`), long},
	} {
		a := budget.NewAccount(t.Context(), 1<<50, 512<<10)
		if _, _, err := c.handler(t.Context(), a, c.text, c.blob); !errors.Is(err, budget.ErrMemory) {
			t.Errorf("%s in 512 KiB: %v", name, err)
		}
		a = budget.NewAccount(t.Context(), 1<<50, 8<<20)
		if _, _, err := c.handler(t.Context(), a, c.text, c.blob); err != nil {
			t.Errorf("%s in 8 MiB: %v", name, err)
		}
	}
}
