package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxExposure is what systemd may say of the service, in tenths of a point: it says 2.6 of
// 10, for the network, for namespaces and for memory that is both written and executed.
const maxExposure = "26"

// TestUnits has systemd read what is shipped: nothing in it is unknown or ignored, and the
// service stays as confined as it is.
func TestUnits(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Log("no systemd-analyze: the units were not checked")
		return
	}
	dir := t.TempDir()
	for _, name := range []string{"glovebox.service", "glovebox.socket"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// systemd looks whether the program is there.
		unit := strings.ReplaceAll(string(text), "/usr/bin/glovebox ", "/bin/true ")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(unit), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	service, socket := filepath.Join(dir, "glovebox.service"), filepath.Join(dir, "glovebox.socket")
	if out, err := exec.Command(analyze, "verify", "--man=no", service, socket).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := exec.Command(analyze, "security", "--offline=true", "--no-pager", "--threshold="+maxExposure, service).CombinedOutput(); err != nil {
		t.Errorf("the exposure is above %s of 100: %v: %s", maxExposure, err, out)
	}
}
