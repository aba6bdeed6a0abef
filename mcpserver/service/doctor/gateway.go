package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/local"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// upstreams checks other people's servers: those of the server that runs, or else those
// of the configuration. None is reached.
func (d *doctor) upstreams() (string, error) {
	var servers []gateway.Server
	peer, err := local.Find(d.place.State)
	if err == nil {
		err = peer.Gateway(d.ctx, "servers", gateway.Name{}, &servers)
	}
	if errors.Is(err, local.ErrNoOwner) {
		for _, r := range d.configured.Configured().Upstreams {
			servers = append(servers, gateway.Server{Registration: r})
		}
	} else if err != nil {
		return "", err
	}
	var wrong []string
	waiting, held := 0, 0
	for i := range servers {
		s := &servers[i]
		waiting += s.Waiting()
		switch {
		case s.State == exposure.Quarantined:
			held++
		case s.State == exposure.Disabled:
		case len(s.Unset) > 0:
			wrong = append(wrong, fmt.Sprintf("%s needs %s; set it in the environment or the file of world.secrets", s.Name(), strings.Join(s.Unset, ", ")))
		case s.Failed != "":
			wrong = append(wrong, fmt.Sprintf("%s does not answer; glovebox upstream test %[1]s says why", s.Name()))
		case strings.HasPrefix(s.Config.URL, "http://") && mcp.ClassifyHost(mcp.Default, mcp.StreamableHTTP, s.Config.URL) == mcp.Public:
			wrong = append(wrong, fmt.Sprintf("%s is reached over plain http, so anybody on the way reads and changes it; use https", s.Name()))
		}
	}
	if len(wrong) > 0 {
		return "", errors.New(strings.Join(wrong, "; "))
	}
	found := fmt.Sprintf("%d", len(servers))
	if held > 0 {
		found += fmt.Sprintf(", %d in quarantine: glovebox upstream enable", held)
	}
	if waiting > 0 {
		found += ", to review: " + counted(waiting, "tool") + " (glovebox pin diff)"
	}
	return found, nil
}
