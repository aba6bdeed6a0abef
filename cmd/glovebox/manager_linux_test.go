package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// manager is a service manager for one test: it opens the socket, starts the server on it,
// and hears what the server says. It keeps the rules of sd_listen_fds(3) and sd_notify(3),
// and none of the code that the server follows them with.
type manager struct {
	t *testing.T
	machine
	socket *net.TCPListener
	heard  chan map[string]string
	notify string
}

func newManager(t *testing.T) *manager {
	t.Helper()
	// The path of a socket may have 103 bytes.
	dir, err := os.MkdirTemp("/tmp", "glovebox")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	m := &manager{t: t, machine: machine{state: filepath.Join(dir, "state")}, socket: listener.(*net.TCPListener), heard: make(chan map[string]string, 1000), notify: filepath.Join(dir, "notify")}
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: m.notify, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		for datagram := make([]byte, 64<<10); ; {
			n, err := conn.Read(datagram)
			if err != nil {
				return
			}
			said := map[string]string{}
			for line := range strings.Lines(string(datagram[:n])) {
				name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
				said[name] = value
			}
			m.heard <- said
		}
	}()
	return m
}

// started is a server under the manager.
type started struct {
	cmd    *exec.Cmd
	stderr *lockedBuffer
	ended  chan struct{}
}

// start starts a server with sockets; the shell knows the process that it becomes.
func (m *manager) start(sockets []*os.File, args ...string) *started {
	m.t.Helper()
	s := &started{stderr: new(lockedBuffer), ended: make(chan struct{})}
	s.cmd = exec.Command("sh", append([]string{"-c", `LISTEN_PID=$$ exec glovebox serve "$@"`, "sh"}, args...)...)
	s.cmd.ExtraFiles = sockets
	names := make([]string, len(sockets))
	for i := range names {
		names[i] = fmt.Sprintf("socket-%d", i)
	}
	s.cmd.Env = append(m.command().Env, "NOTIFY_SOCKET="+m.notify, "WATCHDOG_USEC=200000",
		fmt.Sprintf("LISTEN_FDS=%d", len(sockets)), "LISTEN_FDNAMES="+strings.Join(names, ":"))
	s.cmd.Stderr = s.stderr
	if err := s.cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	go func() {
		s.cmd.Wait()
		close(s.ended)
	}()
	m.t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.ended
		if m.t.Failed() {
			m.t.Logf("the server said: %s", s.stderr)
		}
	})
	return s
}

func (s *started) exit(t *testing.T) int {
	t.Helper()
	select {
	case <-s.ended:
		return s.cmd.ProcessState.ExitCode()
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
		return -1
	}
}

// hears waits for an assignment, and returns what came with it. The other ones before it
// may come at any time.
func (m *manager) hears(want string) map[string]string {
	m.t.Helper()
	name, value, _ := strings.Cut(want, "=")
	enough := time.After(time.Minute)
	for {
		select {
		case said := <-m.heard:
			if said[name] == value {
				return said
			}
			if said["WATCHDOG"] == "" && said["STATUS"] == "" {
				m.t.Errorf("it says %v before %s", said, want)
			}
		case <-enough:
			m.t.Fatalf("it does not say %s", want)
		}
	}
}

// file is a socket as a manager hands it over.
func file(t *testing.T, socket interface{ File() (*os.File, error) }) *os.File {
	t.Helper()
	f, err := socket.File()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestUnderAServiceManager: a server gets its socket from the manager that starts it, says
// when it is ready, reloads, lives and stops, and a second one takes its place at the same
// socket, which never refuses anybody.
func TestUnderAServiceManager(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	address := m.socket.Addr().String()
	for range 2 {
		// This client is there before the server.
		early, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer early.Close()
		if _, err := io.WriteString(early, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		s := m.start([]*os.File{file(t, m.socket)})
		if status := m.hears("READY=1")["STATUS"]; !strings.Contains(status, "http://"+address+"/mcp") {
			t.Errorf("it is ready with %q", status)
		}
		answer, err := http.ReadResponse(bufio.NewReader(early), nil)
		if err != nil || answer.StatusCode != http.StatusOK {
			t.Errorf("who was there before the server: %v, %v", answer, err)
		}
		m.hears("WATCHDOG=1")
		m.hears("WATCHDOG=1")

		if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		if said := m.hears("RELOADING=1"); said["MONOTONIC_USEC"] == "" {
			t.Errorf("it reloads with %v", said)
		}
		if status := m.hears("READY=1")["STATUS"]; status != "the configuration was read again" {
			t.Errorf("it is ready again with %q", status)
		}

		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		m.hears("STOPPING=1")
		if code := s.exit(t); code != exitGood {
			t.Errorf("exit code %d", code)
		}
	}
}

// TestSocketsThatAreNotServed are refused with what to write in the unit.
func TestSocketsThatAreNotServed(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	tcp := file(t, m.socket)
	path, err := net.Listen("unix", filepath.Join(filepath.Dir(m.notify), "path"))
	if err != nil {
		t.Fatal(err)
	}
	defer path.Close()
	open, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	for _, tc := range []struct {
		sockets []*os.File
		args    []string
		said    string
	}{
		{[]*os.File{tcp, tcp}, nil, "hands over 2 sockets (socket-0, socket-1), and one is served; leave a single ListenStream="},
		{[]*os.File{file(t, path.(*net.UnixListener))}, nil, "must be a ListenStream= with an address and a port"},
		{[]*os.File{tcp}, []string{"--listen", "127.0.0.1:0"}, "leave one of them out"},
		// What holds for an address that is typed holds for one that is inherited.
		{[]*os.File{file(t, open.(*net.TCPListener))}, []string{"--no-token"}, "listening there needs a token"},
	} {
		s := m.start(tc.sockets, tc.args...)
		if code, said := s.exit(t), s.stderr.String(); code != exitUsage || !strings.Contains(said, tc.said) {
			t.Errorf("%v: exit code %d, %s", tc.args, code, said)
		}
	}
	select {
	case said := <-m.heard:
		t.Errorf("it said %v", said)
	default:
	}
}

// TestAnotherProcessIsMeant: a socket whose LISTEN_PID is another process is left alone, as
// one may inherit the environment of a service.
func TestAnotherProcessIsMeant(t *testing.T) {
	t.Parallel()
	m := newManager(t)
	cmd := m.command("serve", "--listen", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "NOTIFY_SOCKET="+m.notify, fmt.Sprintf("LISTEN_PID=%d", os.Getpid()), "LISTEN_FDS=1")
	cmd.ExtraFiles = []*os.File{file(t, m.socket)}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if status := m.hears("READY=1")["STATUS"]; strings.Contains(status, m.socket.Addr().String()) {
		t.Errorf("it serves at %q", status)
	}
}
