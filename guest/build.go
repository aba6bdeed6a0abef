package guest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	quickjs "github.com/aperturerobotics/go-quickjs-wasi-reactor"

	"github.com/glovebox-run/glovebox/guest/internal/meter"
	"github.com/glovebox-run/glovebox/guest/internal/special"
	"github.com/glovebox-run/glovebox/guest/internal/wasm"
)

// sourceHash is the SHA-256 of the one module the linker knows.
const sourceHash = "718f30dac3b2b42f2ab18d622f8ca11139e193e40f941519165710e4a9b168a3"

// Revision names the output of Build: it changes whenever the bytes do. The golden
// test rejects changed bytes under an old Revision.
const Revision = "quickjs-ng-0.15.1/18"

// Form is what Build makes.
type Form int

const (
	// Metered counts fuel and bulk and calls refuel. It is what runs.
	Metered Form = iota
	// Linked is the same module before metering. Nothing stops it, so it is only for
	// measurements: the fuel of other engines, and the time metering takes.
	Linked
)

// Build links QuickJS, and meters it. The result depends only on the form and
// Revision, so it may be cached.
func Build(form Form) ([]byte, error) {
	source := quickjs.QuickJSWASM
	if sum := sha256.Sum256(source); hex.EncodeToString(sum[:]) != sourceHash {
		return nil, fmt.Errorf("guest: the QuickJS module has SHA-256 %x, want %s: the linker does not know it", sum, sourceHash)
	}
	m, err := wasm.Decode(source)
	if err != nil {
		return nil, fmt.Errorf("guest: %w", err)
	}
	if err := link(m); err != nil {
		return nil, fmt.Errorf("guest: %w", err)
	}
	if form == Metered {
		names := meter.Names{Module: HostModule, Refuel: "refuel", Fuel: GlobalFuel, Bulk: GlobalBulk, Ask: special.Ask}
		if err := meter.Apply(m, names, surchargeOf(surcharges())); err != nil {
			return nil, fmt.Errorf("guest: %w", err)
		}
	}
	return wasm.Encode(m), nil
}
