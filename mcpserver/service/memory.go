package service

import (
	goruntime "runtime"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/sizing"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// Fit divides the memory that there is. What comes back is the configuration with
// the limit of a call's memory that fits, where nobody has set one. Without knowing
// how much there is, everything is as on a machine with plenty.
func Fit(l *config.Loaded) (*config.Loaded, sizing.Plan, sizing.Source) {
	total, source, err := sizing.Available()
	if err != nil {
		total = 64 << 30
	}
	asked := sizing.Asked{Parallel: l.Limits.Shared.Parallel, Output: int64(l.Limits.Output), Messages: int64(l.Limits.Shared.Bytes)}
	if l.Origins["limits.memory"] != config.FromDefault {
		asked.Memory = int64(l.Limits.Memory)
	}
	plan := sizing.Fit(int64(min(total, 1<<50)), goruntime.GOMAXPROCS(0), asked)
	fitted := *l
	fitted.Limits.Memory = config.Size(plan.Memory)
	return &fitted, plan, source
}

// shared returns the limits that clients share, as they fit the memory and the file
// limit of this process.
func shared(l *config.Loaded, plan sizing.Plan) admission.Limits {
	shared := l.Limits.Shared
	shared.Parallel, shared.Bytes = plan.Parallel, admission.Size(plan.Messages)
	shared = shared.WithDefaults()
	shared.Connections = sizing.Connections(shared.Connections, sizing.Files())
	return shared
}
