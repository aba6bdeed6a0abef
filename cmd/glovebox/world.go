package main

import (
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/netguard"
)

// systemWorld is what this process can lend: the machine's resolver and network.
// The check of every address lies between the two, in package netguard. Files are
// added by whoever knows which workspace is meant.
func systemWorld() host.World {
	return host.World{Resolve: netguard.SystemResolve, Dial: netguard.SystemDial}
}
