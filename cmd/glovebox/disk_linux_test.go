package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/glovebox-run/glovebox/runtime/audit"
)

// smallDisk is the size of the disk that is filled. The store takes 1 MiB of it.
const smallDisk = "16m"

var openQuestion = regexp.MustCompile(`approval ([A-Z0-9]+) is open`)

// disk is a place of a running server that can be full.
type disk interface {
	// under changes a command so that it has the disk at dir.
	under(cmd *exec.Cmd, dir string)
	// seen is the path of a file of the disk for others than the server.
	seen(path string) string
	fill() error
	free() error
}

// mounted is a file system of its own in a mount namespace of the server.
type mounted struct {
	cmd *exec.Cmd
	dir string
}

func (d *mounted) under(cmd *exec.Cmd, dir string) {
	d.cmd, d.dir = cmd, dir
	const mount = `mount -t tmpfs -o mode=700,size=` + smallDisk + ` small "$0" && exec "$@"`
	cmd.Args = append([]string{"sh", "-c", mount, dir, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
}

func (d *mounted) seen(path string) string {
	return fmt.Sprintf("/proc/%d/root%s", d.cmd.Process.Pid, path)
}

func (d *mounted) fill() error {
	f, err := os.Create(d.seen(filepath.Join(d.dir, "fill")))
	if err != nil {
		return err
	}
	defer f.Close()
	for size := 1 << 20; size > 0; size /= 2 {
		for {
			if _, err = f.Write(make([]byte, size)); err != nil {
				break
			}
		}
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("filling it: %w", err)
	}
	return nil
}

func (d *mounted) free() error { return os.Remove(d.seen(filepath.Join(d.dir, "fill"))) }

// limited is a server that may write no files: where nothing can be mounted, and for
// what disks answer besides being full.
type limited struct{ cmd *exec.Cmd }

func (d *limited) under(cmd *exec.Cmd, _ string) { d.cmd = cmd }
func (d *limited) seen(path string) string       { return path }
func (d *limited) fill() error                   { return d.limit(0) }
func (d *limited) free() error                   { return d.limit(unix.RLIM_INFINITY) }

func (d *limited) limit(bytes uint64) error {
	return unix.Prlimit(d.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}, nil)
}

// canMount reports whether a disk of its own can be made here.
func canMount(t *testing.T) bool {
	t.Helper()
	var d mounted
	cmd := exec.Command("/bin/true")
	d.under(cmd, t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("nothing can be mounted here, so the size of files is limited instead: %v %s", err, out)
	}
	return err == nil
}

// TestAFullDisk fills the disk of the record, or of the state: calls that cannot be
// recorded or asked about are refused with the reason, the server is not ready, and as
// soon as there is room it is ready again without anybody calling. What was
// acknowledged before, between and after is there.
func TestAFullDisk(t *testing.T) {
	t.Parallel()
	author, specs := emptyMachine(t), newMachine(t).specs
	key := author.signs(t, specs)
	// With a limit for all files the record fails first.
	onDisk, state := func() disk { return &limited{} }, "calls cannot be recorded at the moment"
	if canMount(t) {
		onDisk, state = func() disk { return &mounted{} }, "asking a person failed. Questions cannot be kept at the moment. Only the operator can change that."
	}
	for _, row := range []struct {
		name    string
		disk    disk
		audit   bool   // the record is there, and nothing else
		tool    string // whose call needs the disk
		done    string // what it answers when there is room
		refused string
	}{
		{"record", onDisk(), true, "add", `{\"sum\":`, "calls cannot be recorded at the moment (audit_unavailable"},
		{"record, no file may grow", &limited{}, true, "add", `{\"sum\":`, "calls cannot be recorded at the moment (audit_unavailable"},
		{"state", onDisk(), false, "tidy", `it needs a person's approval`, state},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			m, disk := &machine{state: t.TempDir(), specs: specs}, t.TempDir()
			record := filepath.Join(t.TempDir(), "audit.jsonl")
			if row.audit {
				record = filepath.Join(disk, "audit.jsonl")
			} else {
				m.state = disk
			}
			s := m.serveIn(t, func(cmd *exec.Cmd) {
				cmd.Env = append(cmd.Env, "GLOVEBOX_APPROVALS_WAIT=1ms")
				row.disk.under(cmd, disk)
			}, "--pass-key", key, "--audit", record)
			var done []string // arguments of calls, or questions
			call := func() string {
				argument := fmt.Sprintf(`{"a":%d}`, len(done))
				text := bodyOf(s.post("t", row.tool, argument))
				if strings.Contains(text, row.done) {
					if asked := openQuestion.FindStringSubmatch(text); asked != nil {
						argument = asked[1]
					}
					done = append(done, argument)
				}
				return text
			}
			// until waits for what a server says by itself, or in answer to calls.
			until := func(what string, is func() (string, bool)) {
				t.Helper()
				for started := time.Now(); ; time.Sleep(10 * time.Millisecond) {
					said, yes := is()
					if yes {
						return
					}
					if time.Since(started) > patience {
						t.Fatalf("%s: %s\n%s", what, said, s.stderr)
					}
				}
			}
			ready := func() (string, bool) { said := s.ready(t); return said, said == "" }
			until("ready", ready)
			if said := call(); len(done) != 1 {
				t.Fatal(said)
			}
			if err := row.disk.fill(); err != nil {
				t.Fatal(err)
			}
			until("refused", func() (string, bool) { said := call(); return said, strings.Contains(said, row.refused) })
			before := len(done)
			until("not ready", func() (string, bool) { said := s.ready(t); return said, strings.HasPrefix(said, "503") })
			if err := row.disk.free(); err != nil {
				t.Fatal(err)
			}
			until("ready again", ready) // nobody calls
			if said := call(); len(done) != before+1 {
				t.Errorf("when it is ready again: %s", said)
			}
			kept := map[string]bool{}
			err := audit.Read(row.disk.seen(record), audit.Filter{Tool: row.tool}, func(e audit.Entry) error {
				if e.Outcome == audit.OK {
					kept[string(e.Parameters)] = true
				}
				if e.Approval != nil {
					kept[e.Approval.ID] = true
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range done {
				if !kept[call] {
					t.Errorf("%s was acknowledged and is not in the record", call)
				}
			}
			if report, err := audit.Verify(row.disk.seen(record)); err != nil || len(report.Defects) > 0 {
				t.Errorf("%+v, %v", report, err)
			}
			if open := fmt.Sprintf("glovebox_questions_open %d\n", len(done)); !row.audit && !strings.Contains(s.counts(), open) {
				t.Errorf("not so many questions are open: %s", open)
			}
		})
	}
}

func bodyOf(r *http.Response) string {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err.Error()
	}
	return r.Status + " " + string(text)
}

// ready returns what /readyz says against the server; empty if nothing.
func (s *served) ready(t *testing.T) string {
	t.Helper()
	r, err := http.Get(s.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode == http.StatusOK {
		return ""
	}
	return fmt.Sprint(r.StatusCode, " ", string(bytes.TrimSpace(text)))
}
