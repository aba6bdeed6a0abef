package contract

import "github.com/glovebox-run/glovebox/risk/contract/pyjson"

// Hints are the four standard tool annotations of MCP. They are claims, not
// enforcement.
type Hints struct {
	ReadOnly    bool `json:"read_only"`
	Destructive bool `json:"destructive"`
	Idempotent  bool `json:"idempotent"`
	OpenWorld   bool `json:"open_world"`
}

// defaultHints are MCP's own defaults for a tool without annotations.
var defaultHints = Hints{Destructive: true, OpenWorld: true}

// claim is one hint of a request: absent, or present and false or true.
type claim uint8

const (
	unclaimed claim = iota
	claimedFalse
	claimedTrue
)

// claims are the hints of one request.
type claims struct{ readOnly, destructive, idempotent, openWorld claim }

// readClaims reads the standard hints of an annotations object. A hint that is
// present but null or not a boolean counts as false instead of the default: this is
// the published behaviour and one of the known weaknesses.
func readClaims(annotations pyjson.Value) claims {
	read := func(name string) claim {
		v, present := annotations.Lookup(name)
		switch {
		case !present:
			return unclaimed
		case v.Flag():
			return claimedTrue
		}
		return claimedFalse
	}
	return claims{read(hintMembers[0]), read(hintMembers[1]), read(hintMembers[2]), read(hintMembers[3])}
}

// hintMembers are MCP's names of the hints, in the order of Hints.
var hintMembers = [4]string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}

func (h *Hints) fields() [4]*bool {
	return [4]*bool{&h.ReadOnly, &h.Destructive, &h.Idempotent, &h.OpenWorld}
}

func (c claims) fields() [4]claim {
	return [4]claim{c.readOnly, c.destructive, c.idempotent, c.openWorld}
}

// overlay returns the hints overridden by the request's claims.
func (h Hints) overlay(c claims) Hints {
	for i, field := range h.fields() {
		if said := c.fields()[i]; said != unclaimed {
			*field = said == claimedTrue
		}
	}
	return h
}

// HintSources says where each effective hint came from: "request", "profile"
// (the tool's suggested hints) or "defaults" (the contract's).
type HintSources struct {
	ReadOnly    string `json:"read_only"`
	Destructive string `json:"destructive"`
	Idempotent  string `json:"idempotent"`
	OpenWorld   string `json:"open_world"`
}

func (c claims) sources(fallback string) HintSources {
	var from [4]string
	for i, said := range c.fields() {
		from[i] = fallback
		if said != unclaimed {
			from[i] = "request"
		}
	}
	return HintSources{from[0], from[1], from[2], from[3]}
}
