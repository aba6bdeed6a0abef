package service

import (
	"cmp"
	"fmt"

	"github.com/glovebox-run/glovebox/mcpserver/config"
)

// shaping are the keys that decide what clients get, whichever process serves them.
var shaping = []string{
	"specs.folders", "specs.bundle", "specs.preset", "specs.pass_keys", "policy.ceiling", "policy.unasked", "policy.trusted",
	"world.allow_open", "world.workspace", "world.read_roots", "world.secrets", "audit.file", "limits.timeout", "limits.memory",
}

// shapeOf returns the values of the shaping keys, by the name of the flag, in a
// form that means the same to another process.
func shapeOf(l *config.Loaded) map[string]string {
	c := l.Config
	c.Specs.Preset = cmp.Or(c.Specs.Preset, defaultPreset(l))
	shape := map[string]string{}
	for _, path := range shaping {
		k, _ := config.Find(path)
		shape[k.Flag] = k.Show(&c)
	}
	return shape
}

// differences returns the settings made for this process that differ from the
// owner's.
func differences(l *config.Loaded, owner map[string]string) []string {
	var found []string
	mine := shapeOf(l)
	for _, path := range shaping {
		k, _ := config.Find(path)
		if l.Origins[path] != config.FromDefault && owner[k.Flag] != mine[k.Flag] {
			found = append(found, fmt.Sprintf("--%s %s (it has %s)", k.Flag, mine[k.Flag], owner[k.Flag]))
		}
	}
	return found
}
