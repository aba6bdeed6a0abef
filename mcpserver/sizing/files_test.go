package sizing

import (
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func TestConnectionsFitTheFileLimit(t *testing.T) {
	for _, row := range []struct {
		asked int
		files uint64
		want  int
	}{{1024, 0, 1024}, {1024, 1 << 20, 1024}, {1024, 1024, 448}, {100, 1024, 100}, {1024, 256, 64}, {1024, 64, 1}, {1024, 128, 1}} {
		if got := Connections(row.asked, row.files); got != row.want {
			t.Errorf("%d of %d files: %d, want %d", row.asked, row.files, got, row.want)
		}
	}
	out, err := exec.Command("sh", "-c", "ulimit -n").Output()
	if err != nil {
		t.Fatal(err)
	}
	// The shell inherits the limit that this process was started with; Go raises its own.
	if soft, err := strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64); err == nil && Files() < soft {
		t.Errorf("%d files, and the shell has %d", Files(), soft)
	}
}
