package service

import (
	"testing"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/mcpserver/config"
	"github.com/glovebox-run/glovebox/risk"
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

var refuseUUID = map[string]risk.Treatment{"uuid": risk.Refuse}
