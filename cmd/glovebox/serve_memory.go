package main

import (
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"runtime/debug"

	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/mcpserver/sizing"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// fit divides the memory that there is. What comes back is the configuration with
// the limit of a call's memory that fits, where nobody has set one. Without knowing
// how much there is, everything is as on a machine with plenty.
func fit(l *config.Loaded) (*config.Loaded, sizing.Plan, sizing.Source) {
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

// sized are the limits that clients share, as they fit. Go is told how much it may
// take, unless the operator has done so.
func sized(l *config.Loaded, plan sizing.Plan, stderr io.Writer) admission.Limits {
	shared := l.Limits.Shared
	shared.Parallel, shared.Bytes = plan.Parallel, admission.Size(plan.Messages)
	if err := plan.Check(); err != nil {
		fmt.Fprintf(stderr, "glovebox: memory may run out: %v\n", err)
	}
	if _, set := os.LookupEnv("GOMEMLIMIT"); !set {
		debug.SetMemoryLimit(plan.GoLimit)
	}
	return shared
}

// memory looks whether what the limits allow fits into the memory that there is.
func (d doctor) memory() (string, error) {
	_, plan, source := fit(d.configured)
	if source == "" {
		return "how much there is cannot be found out; see limits.parallel", nil
	}
	if err := plan.Check(); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d MiB (%s): %d calls of %d MiB, %d MiB for messages", plan.Total>>20, source, plan.Parallel, plan.Memory>>20, plan.Messages>>20), nil
}
