package service

import (
	"maps"
	"testing"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/live"
)

// TestDefaultLimits: the configuration's defaults equal the engine's.
func TestDefaultLimits(t *testing.T) {
	l := config.Loaded{Config: config.Default()}
	if got := callLimits(&l); got != jsengine.DefaultLimits {
		t.Errorf("%+v, want %+v", got, jsengine.DefaultLimits)
	}
}

// TestWorkspacesAreOfPrincipals: one for each, except that this user's programs
// share one.
func TestWorkspacesAreOfPrincipals(t *testing.T) {
	names := map[string]bool{}
	for _, p := range []string{"stdio:1", "stdio:2", "local:3", "token:a", "token:b", "https://issuer.example alice editor"} {
		names[workspaceOf(p)] = true
	}
	if len(names) != 4 {
		t.Errorf("%v", names)
	}
}

// TestModesOfCompositions: what nobody said is as policy.session says, and nothing is
// unseen once one composition is judged by what a client met.
func TestModesOfCompositions(t *testing.T) {
	for _, c := range []struct {
		session, composition string
		sessions             map[string]string
		mode                 live.Mode
		at                   map[string]live.Mode
	}{
		{"off", "", nil, live.Off, nil},
		{"off", "", map[string]string{"docs": "off"}, live.Off, nil},
		{"ask", "", nil, live.Ask, map[string]live.Mode{}},
		{"off", "", map[string]string{"docs": "enforce", "web": "off"}, live.Observe, map[string]live.Mode{"docs": live.Enforce, "web": live.Observe}},
		{"enforce", "docs", map[string]string{"docs": "observe"}, live.Enforce, map[string]live.Mode{"docs": live.Observe, "": live.Observe}},
	} {
		var given config.Config
		given.Session, given.Sessions, given.Gateway.Composition = c.session, c.sessions, c.composition
		mode, at, err := modesOf(&given)
		if err != nil || mode != c.mode || !maps.Equal(at, c.at) {
			t.Errorf("%+v: %v, %v, %v", c, mode, at, err)
		}
	}
	if _, _, err := modesOf(&config.Config{Session: "off", Sessions: map[string]string{"docs": "loud"}}); err == nil {
		t.Error("a word that is none is a mode")
	}
}

var refuseUUID = map[string]risk.Treatment{"uuid": risk.Refuse}
