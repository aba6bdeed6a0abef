package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// smallHome is the size of a home folder that is made for one command. What a first start
// writes is a tenth of it.
const smallHome = "16m"

// The states of a home folder, as commands for the shell with the folder in $HOME.
const (
	fullHome  = `cat /dev/zero > "$HOME/fill" 2>/dev/null; test -s "$HOME/fill"`
	roomyHome = fullHome + ` && rm "$HOME/fill"`
	fixedHome = `mount -o remount,ro "$HOME"`
)

// atHome runs a command whose home folder is a file system of its own, and returns what it
// says: until it serves, if it is a server.
func atHome(t *testing.T, home string, environment []string, args ...string) (said string, err error) {
	t.Helper()
	cmd := exec.Command("glovebox", args...)
	d := mounted{}
	dir := t.TempDir()
	d.under(cmd, dir)
	cmd.Args[2] = `mount -t tmpfs -o mode=700,size=` + smallHome + ` small "$0" && ` + home + ` && exec "$@"`
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "XDG_STATE_HOME=") && !strings.HasPrefix(v, "XDG_CONFIG_HOME=") && !strings.HasPrefix(v, "GLOVEBOX_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	// The cache has the compiled guest, which is not what is tried here.
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(append(cmd.Env, "HOME="+dir, "XDG_CACHE_HOME="+cache), environment...)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd.Stdout, cmd.Stderr = write, write
	err = cmd.Start()
	write.Close()
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	serving := false
	for lines := bufio.NewScanner(read); lines.Scan(); {
		all.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), " tools at http://") {
			serving = true
			cmd.Process.Kill()
		}
	}
	if err = cmd.Wait(); serving {
		err = nil
	}
	return all.String(), err
}

// TestAFirstMinuteWithoutRoom: on a full disk, and on one that cannot be written, the first
// commands fail with the way out, and the test takes it from the message and goes it.
func TestAFirstMinuteWithoutRoom(t *testing.T) {
	t.Parallel()
	if !canMount(t) {
		return // a disk cannot be full or fixed for one process in any other way
	}
	for _, command := range []string{"run hash --arg text=x", "serve --listen 127.0.0.1:0", "config init"} {
		for _, row := range []struct{ what, home, pattern string }{
			{"full", fullHome, `no space left on device; make room there, or set (XDG_\w+) to a folder on another disk\n`},
			{"read-only", fixedHome, `read-only file system; set (XDG_\w+) to a folder on a file system that can be written\n`},
		} {
			t.Run(row.what+" "+command, func(t *testing.T) {
				t.Parallel()
				args := strings.Fields(command)
				said, err := atHome(t, row.home, nil, args...)
				variable := regexp.MustCompile(row.pattern).FindStringSubmatch(said)
				if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitUsage || variable == nil {
					t.Fatalf("%v: %s", err, said)
				}
				if said, err := atHome(t, row.home, []string{variable[1] + "=" + filepath.Join(t.TempDir(), "elsewhere")}, args...); err != nil {
					t.Errorf("with %s set: %v: %s", variable[1], err, said)
				}
				if said, err := atHome(t, roomyHome, nil, args...); err != nil {
					t.Errorf("with room: %v: %s", err, said)
				}
			})
		}
	}
}

// TestDoctorBeforeTheFirstStart says that there will be none.
func TestDoctorBeforeTheFirstStart(t *testing.T) {
	t.Parallel()
	if !canMount(t) {
		return // as above
	}
	for home, want := range map[string]string{
		fullHome: ` cannot be made: .* no space left on device; XDG_STATE_HOME moves it`, fixedHome: ` cannot be made: .* read-only file system; XDG_STATE_HOME moves it`,
		roomyHome: `1\d MiB are free for .*; make room`,
	} {
		said, err := atHome(t, home, nil, "doctor")
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != exitNo || !regexp.MustCompile(`(?m)^FAIL +GBD01 .*`+want).MatchString(said) {
			t.Errorf("%v, not %s: %s", err, want, said)
		}
	}
}
