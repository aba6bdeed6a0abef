package main

import (
	"github.com/spf13/pflag"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
)

// approvalFlags are the flags about asking people.
func approvalFlags(f *pflag.FlagSet, s *approve.Settings) {
	f.DurationVar(&s.Wait, "approval-wait", 0, "how long a call waits for an operator when its client cannot ask anybody (default 2m)")
	f.DurationVar(&s.Grant, "approval-grant", 0, "how long an operator's yes can be used (default 15m)")
}
