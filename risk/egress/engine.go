package egress

import (
	"github.com/glovebox-run/glovebox/risk/egress/internal/finder"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// Engine finds what the rules describe. It is immutable and safe for concurrent
// use. Making one takes about a millisecond, so make it once.
type Engine struct{ finder *finder.Engine }

// NewEngine compiles rules. The error names the rule that cannot be compiled.
func NewEngine(list []rules.Rule) (*Engine, error) {
	f, err := finder.NewEngine(list)
	if err != nil {
		return nil, err
	}
	return &Engine{f}, nil
}
