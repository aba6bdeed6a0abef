package main

import (
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

// systemWorld is what this process can grant: the machine's resolver and network.
// Package netguard sits between the two and checks every address. The caller that
// knows the workspace adds files.
func systemWorld() host.World {
	return host.World{Resolve: netguard.SystemResolve, Dial: netguard.SystemDial}
}

// systemProcesses starts other people's servers. main has called the same first, so this
// process is no supervisor.
func systemProcesses() process.Supervisor { return process.Main() }
