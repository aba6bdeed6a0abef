package main

import (
	"context"
	"net"
	"net/netip"

	"github.com/glovebox-run/glovebox/host"
)

// systemWorld is what this process can lend: the machine's resolver and network.
// The check of every address lies between the two, in package host. Files are
// added by whoever knows which workspace is meant.
func systemWorld() host.World {
	dialer := &net.Dialer{}
	return host.World{
		Resolve: func(ctx context.Context, name string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
		},
		Dial: func(ctx context.Context, network string, to netip.AddrPort) (net.Conn, error) {
			return dialer.DialContext(ctx, network, to.String())
		},
	}
}
