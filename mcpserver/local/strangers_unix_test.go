//go:build unix

package local

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestStrangersAreRefused although everybody may reach the socket here. Only root
// can really run as another user; otherwise the test uses a uid that nobody has.
func TestStrangersAreRefused(t *testing.T) {
	here, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	conn, err := net.Dial("unix", here.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := admitted(conn.(*net.UnixConn), os.Getuid()+1); !errors.Is(err, errForeign) {
		t.Errorf("another uid: %v", err)
	}
	if p, err := admitted(conn.(*net.UnixConn), os.Getuid()); err != nil || p.pid != os.Getpid() {
		t.Errorf("the own uid: %+v, %v", p, err)
	}
	if os.Getuid() != 0 {
		return
	}
	state, err := os.MkdirTemp("/tmp", "glovebox-foreign-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(state)
	owned(t, state)
	p := found(t, state)
	binary := filepath.Join(state, "test")
	text, err := os.ReadFile(os.Args[0])
	if err := errors.Join(err, os.WriteFile(binary, text, 0o755), os.Chmod(state, 0o755), os.Chmod(runDir(state), 0o755), os.Chmod(p.Socket(), 0o666)); err != nil {
		t.Fatal(err)
	}
	child := exec.Command(binary)
	child.Env = []string{"LOCAL_CHILD=dial", "LOCAL_SOCKET=" + p.Socket()}
	child.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := child.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "0 bytes") {
		t.Errorf("%s, %v", out, err)
	}
}
