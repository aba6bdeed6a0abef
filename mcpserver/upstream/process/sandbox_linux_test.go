package process_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

// files makes a folder with a secret of the operator, a file to be granted and a
// folder to be written.
func files(t *testing.T) (secret, granted, writable string) {
	t.Helper()
	dir := t.TempDir()
	secret, granted, writable = filepath.Join(dir, "secret"), filepath.Join(dir, "granted"), filepath.Join(dir, "writable")
	for _, name := range []string{secret, granted} {
		if err := os.WriteFile(name, []byte("what is in "+filepath.Base(name)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(writable, 0o755); err != nil {
		t.Fatal(err)
	}
	return secret, granted, writable
}

func sandboxed(script string, sandbox process.Sandbox) process.Config {
	c := shell(script)
	c.Sandbox = sandbox
	return c
}

// itself is a server that is the test binary. With the race detector that maps terabytes.
func itself(role string, sandbox process.Sandbox) process.Config {
	return process.Config{
		Name: "test", Command: []string{os.Args[0]}, Sandbox: sandbox, Env: map[string]string{"TEST_ROLE": role},
		Limits: process.Limits{Memory: 1 << 50},
	}
}

func TestASandboxHasNoPrivileges(t *testing.T) {
	for _, sandbox := range []process.Sandbox{process.Files, process.FilesAndNetwork} {
		got := output(t, sandboxed("grep -E '^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs)' /proc/self/status", sandbox))
		for l := range strings.Lines(got) {
			f := strings.Fields(l)
			want := "0000000000000000"
			if f[0] == "NoNewPrivs:" {
				want = "1"
			}
			if f[1] != want {
				t.Errorf("%s: %q", sandbox, l)
			}
		}
		if strings.Count(got, "\n") != 6 {
			t.Errorf("%q", got)
		}
	}
	got := output(t, shell("grep NoNewPrivs /proc/self/status"))
	if got != "NoNewPrivs:\t1\n" {
		t.Errorf("without a sandbox: %q", got)
	}
	ours, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := output(t, itself("keyring", process.Files)); got == fmt.Sprintln(ours) {
		t.Errorf("it has the session keyring %s", got)
	}
}

// Each line is one attempt; the server says which of them worked.
func TestASandboxHoldsItsOwnFilesOnly(t *testing.T) {
	secret, granted, writable := files(t)
	link := filepath.Join(writable, "link")
	attempts := []struct {
		name, script string
		may          bool
	}{
		{"reads a secret", "cat " + secret, false},
		{"reads a secret by a link of its own", "ln -s " + secret + " " + link + "; cat " + link, false},
		{"reads a secret through /proc", "cat /proc/self/root" + secret, false},
		{"reads a secret through its supervisor", "cat /proc/1/root" + secret, false},
		{"lists the folder beside", "ls " + filepath.Dir(filepath.Dir(secret)) + "/*/secret", false},
		{"reads the users of the machine", "cat /etc/passwd", false},
		{"writes what it may read", "echo x >> " + granted, false},
		{"truncates what it may read", "truncate -s 0 " + granted, false},
		{"removes what it may read", "rm " + granted, false},
		{"writes to the system", "touch /usr/x || touch /etc/x || touch /x", false},
		{"links a secret", "ln " + secret + " " + writable + "/hard", false},
		{"mounts", "mount -t tmpfs none /tmp", false},
		{"makes namespaces to mount", "unshare -Urm mount --bind / /tmp", false},
		{"sees the gateway", fmt.Sprintf("grep -q . /proc/%d/cmdline", os.Getpid()), false},
		{"reads the environment of the gateway", fmt.Sprintf("cat /proc/%d/environ", os.Getpid()), false},
		{"signals the gateway", fmt.Sprintf("kill -0 %d", os.Getpid()), false},
		{"kills its supervisor", "kill -9 $PPID", false},

		{"reads what is granted", "cat " + granted, true},
		{"writes where it may", "echo x > " + writable + "/new && cat " + writable + "/new", true},
		{"moves between folders", "mkdir -p " + writable + "/a/b && echo x > " + writable + "/a/f && mv " + writable + "/a/f " + writable + "/a/b/f", true},
		{"writes temporary files", "mktemp && touch /tmp/x && touch $TMPDIR/x", true},
		{"writes its home", "touch ~/x", true},
		{"writes its working folder", "touch x", true},
		{"runs programs", "env true && ls /usr >/dev/null", true},
		{"runs programs it has written", "printf '#!/bin/sh\\nexit 0\\n' > x && chmod +x x && ./x", true},
		{"throws away", "echo x > /dev/null && head -c 1 /dev/urandom >/dev/null", true},
		{"sees itself", "test \"$(cat /proc/self/comm)\" = cat", true},
	}
	var script strings.Builder
	for _, a := range attempts {
		fmt.Fprintf(&script, "(%s) >/dev/null 2>&1 </dev/null; echo $?\n", a.script)
	}
	for _, sandbox := range []process.Sandbox{process.Files, process.FilesAndNetwork} {
		t.Run(string(sandbox), func(t *testing.T) {
			c := sandboxed(script.String(), sandbox)
			c.Read, c.Write = []string{granted}, []string{writable}
			status := strings.Fields(output(t, c))
			if len(status) != len(attempts) {
				t.Fatalf("%d of %d attempts were made: %v", len(status), len(attempts), status)
			}
			for i, a := range attempts {
				if worked := status[i] == "0"; worked != a.may {
					t.Errorf("%s: worked is %v", a.name, worked)
				}
			}
			if text, err := os.ReadFile(granted); err != nil || string(text) != "what is in granted" {
				t.Errorf("what was granted for reading is now %q, %v", text, err)
			}
			os.RemoveAll(writable)
			os.Mkdir(writable, 0o755)
		})
	}
	// The same attempts without a sandbox: the test can tell the difference.
	status := strings.Fields(output(t, shell("cat "+secret+" >/dev/null; echo $?")))
	if len(status) != 1 || status[0] != "0" {
		t.Errorf("without a sandbox the secret cannot be read either: %v", status)
	}
}

func TestNetworkOfASandbox(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer tcp.Close()
	dir, err := os.MkdirTemp("", "") // the path of a socket has at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	local, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer local.Close()
	abstract, err := net.Listen("unix", "@glovebox-test-"+newTag(t))
	if err != nil {
		t.Fatal(err)
	}
	defer abstract.Close()
	const open, shut = true, false
	for _, row := range []struct {
		what, target         string
		none, files, nothing bool
	}{
		{"a loopback listener", "tcp " + tcp.Addr().String(), open, open, shut},
		{"another network", "udp 192.0.2.1:53", open, open, shut},
		{"a local socket", "unix " + local.Addr().String(), open, shut, shut},
		{"an abstract socket", "unix " + abstract.Addr().String(), open, shut, shut},
	} {
		for sandbox, want := range map[process.Sandbox]bool{process.None: row.none, process.Files: row.files, process.FilesAndNetwork: row.nothing} {
			c := itself("dial", sandbox)
			c.Env["TEST_TARGET"] = row.target
			if got := output(t, c); (got == "connected\n") != want {
				t.Errorf("%s reaches %s: %q", sandbox, row.what, got)
			}
		}
	}
	if got := output(t, itself("loopback", process.FilesAndNetwork)); got != "connected\n" {
		t.Errorf("its own loopback: %q", got)
	}
}

func TestMeasuresSayWhatIsKept(t *testing.T) {
	for sandbox, names := range map[process.Sandbox][]string{
		process.None:            {"ending", "privileges", "memory", "open-files", "processes"},
		process.Files:           {"ending", "files", "sockets", "processes-of-others", "privileges", "memory", "open-files", "processes"},
		process.FilesAndNetwork: {"ending", "network", "files", "sockets", "processes-of-others", "privileges", "memory", "open-files", "processes"},
	} {
		c := sandboxed("cat", sandbox)
		c.Require = true
		p := start(t, c)
		var got []string
		for _, m := range p.Measures() {
			got = append(got, m.Name)
			if m.How == "" || m.Missing != "" {
				t.Errorf("%s: %v", sandbox, m)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(names) {
			t.Errorf("%s: %v, want %v", sandbox, got, names)
		}
	}
}

// Where the kernel gives less, a sandbox is what is left of it, says what that does not
// hold, and is refused if it is required.
func TestWhatCannotBeKeptIsSaidAndRefused(t *testing.T) {
	secret, granted, _ := files(t)
	for _, row := range []struct {
		name, before  string
		kept, missing []string
	}{
		{
			"no namespaces", "echo 0 > /proc/sys/user/max_user_namespaces; exec setpriv --bounding-set -all --inh-caps -all",
			[]string{"ending: child subreaper", "files: Landlock ", "processes-of-others: Landlock "},
			[]string{"network", "sockets"},
		},
		{
			"no mounts", "mount --bind /dev/null /proc/uptime; exec unshare --user --map-root-user --mount", // as container engines do; no new /proc may be mounted then
			[]string{"ending: PID namespace", "files: Landlock ", "network: network namespace"},
			[]string{"sockets"},
		},
	} {
		for _, require := range []string{"", "yes"} {
			inner := exec.Command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", row.before+` "$@"`, "sh", os.Args[0])
			inner.Env = append(os.Environ(), "TEST_ROLE=landlock", "TEST_REQUIRE="+require, "TEST_SECRET="+secret, "TEST_GRANTED="+granted)
			out, err := inner.CombinedOutput()
			got := string(out)
			want := []string{"the configuration requires what cannot be enforced here: "}
			if require == "" {
				want = append(row.kept, "secret: 1", "granted: 0")
			}
			for _, m := range row.missing {
				want = append(want, m+" is not enforced: ")
			}
			for _, w := range want {
				if !strings.Contains(got, w) {
					t.Errorf("%s: %q is not in: %v %s", row.name, w, err, got)
				}
			}
		}
	}
}

// landlockRole is the gateway of the test above.
func landlockRole() int {
	c := sandboxed(`cat "$1" >/dev/null 2>&1; echo secret: $?; cat "$2" >/dev/null; echo granted: $?`, process.FilesAndNetwork)
	c.Command = append(c.Command, "sh", os.Getenv("TEST_SECRET"), os.Getenv("TEST_GRANTED"))
	c.Read = []string{os.Getenv("TEST_GRANTED")}
	c.Require = os.Getenv("TEST_REQUIRE") != ""
	p, err := supervisor.Start(testContext, c)
	var refused *process.Unenforced
	if errors.As(err, &refused) || err != nil {
		fmt.Println(err)
		return 1
	}
	buffer := make([]byte, 1<<10)
	for {
		n, err := p.Stdout().Read(buffer)
		os.Stdout.Write(buffer[:n])
		if err != nil {
			break
		}
	}
	for _, m := range p.Measures() {
		fmt.Println(m)
	}
	p.Close()
	return 0
}

// Whoever runs the tests, an ordinary user runs them as well.
func TestAsAnOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		return // the other tests are that
	}
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "process.test")
	copyOfItself(t, program)
	tmp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(tmp, 0o700); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	for _, d := range []string{filepath.Dir(dir), dir, tmp} {
		if err := os.Chown(d, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	run := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program, "-test.v")
	run.Dir = dir
	run.Env = append(os.Environ(), "TMPDIR="+tmp, "HOME="+dir)
	out, err := run.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// keyringRole says which keys it has.
func keyringRole() int {
	id, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)
	if err != nil {
		return 1
	}
	fmt.Println(id)
	return 0
}
