package gateway

import "encoding/json"

// Listed is what a server listed last.
type Listed struct {
	Server string            `json:"server"`
	Tools  []json.RawMessage `json:"tools"`
	// Failed says why it could not be listed since, or at all.
	Failed string `json:"failed,omitempty"`
}

// Listed returns the definitions of all tools of a server, or of every server for an empty
// name. It reaches none.
func (g *Gateway) Listed(name string) ([]Listed, error) {
	all := []Listed{}
	for _, r := range g.registry.Now().Upstreams {
		if name != "" && r.Name() != name {
			continue
		}
		l := Listed{Server: r.Name(), Tools: []json.RawMessage{}}
		surface, why := g.door.Known(r.Name())
		if l.Failed = why; surface != nil {
			l.Tools = append(l.Tools, surface.Tools...)
		}
		all = append(all, l)
	}
	if name != "" && len(all) == 0 {
		return nil, g.noServer(name)
	}
	return all, nil
}
