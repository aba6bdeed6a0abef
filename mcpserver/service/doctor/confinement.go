package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

// confinement starts a program in the strictest sandbox for upstreams, and says what keeps
// it in its bounds on this machine and what does not. That is wrong only where an upstream
// of the configuration demands it.
func (d *doctor) confinement() (string, error) {
	if d.processes == (process.Supervisor{}) {
		return "no programs are started here", nil
	}
	p, err := d.processes.Start(d.ctx, process.Config{Name: "doctor", Command: []string{"cat"}, Sandbox: process.FilesAndNetwork})
	if err != nil {
		return "", fmt.Errorf("no program can be started in a sandbox: %w", err)
	}
	defer p.Kill()
	var kept, missing []string
	for _, m := range p.Measures() {
		if m.Missing != "" {
			missing = append(missing, m.String())
		} else {
			kept = append(kept, m.Name)
		}
	}
	if len(missing) == 0 {
		return "all is enforced: " + strings.Join(kept, ", "), nil
	}
	found := "enforced: " + strings.Join(kept, ", ") + "; " + strings.Join(missing, "; ")
	for _, r := range d.configured.Configured().Upstreams {
		if r.Config.Require && r.Config.Sandbox != "" && r.Config.Sandbox != string(process.None) {
			return "", errors.New(found + "; upstream " + r.Name() + " demands it and will not start")
		}
	}
	return found, nil
}
