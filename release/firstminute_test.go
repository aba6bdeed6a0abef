package main

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newcomer is somebody without rights whose home is empty and who has the binary and
// nothing else of us.
type newcomer struct {
	t         *testing.T
	dir, home string
	path      string
}

// stranger is a user without rights; a test of root's becomes it.
const stranger = 65534

func newNewcomer(t *testing.T, binary string) *newcomer {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "first-minute-") // t.TempDir may be below a folder that root alone enters
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	n := &newcomer{t: t, dir: dir, home: filepath.Join(dir, "home"), path: filepath.Join(dir, "bin") + ":/usr/bin:/bin"}
	text, err := os.ReadFile(binary)
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	for _, folder := range []string{"bin", "home"} {
		if err == nil {
			err = os.Mkdir(filepath.Join(dir, folder), 0o755)
		}
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "bin", "glovebox"), text, 0o755)
	}
	if err == nil && os.Geteuid() == 0 {
		err = os.Chown(n.home, stranger, stranger)
	}
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (n *newcomer) command(line string, environment ...string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env = n.home, append([]string{"PATH=" + n.path}, environment...)
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	}
	return cmd
}

func (n *newcomer) atHome() string { return "HOME=" + n.home }

// does wants a command to succeed.
func (n *newcomer) does(line string, environment ...string) string {
	n.t.Helper()
	out, err := n.command(line, environment...).CombinedOutput()
	if err != nil {
		n.t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// fails wants a command to fail, and returns what of its output is the way out: the first
// group of a pattern.
func (n *newcomer) fails(line, pattern string, environment ...string) string {
	n.t.Helper()
	out, err := n.command(line, environment...).CombinedOutput()
	found := regexp.MustCompile(pattern).FindSubmatch(out)
	if err == nil || found == nil {
		n.t.Fatalf("%s: %v, and it does not say %s:\n%s", line, err, pattern, out)
	}
	return string(found[len(found)-1])
}

// serves starts a server, waits until it serves, and returns a function that waits for a
// line of it, and one that kills it.
func (n *newcomer) serves(flags string, environment ...string) (said func(pattern string) string, kill func()) {
	n.t.Helper()
	cmd := n.command("exec glovebox serve "+flags, environment...)
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		n.t.Fatal(err)
	}
	lines := make(chan string, 1000)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stderr); s.Scan(); {
			lines <- s.Text()
		}
	}()
	kill = func() {
		cmd.Process.Kill()
		for range lines {
		}
		cmd.Wait()
	}
	n.t.Cleanup(kill)
	said = func(pattern string) string {
		n.t.Helper()
		all, enough := "", time.After(5*time.Minute)
		for {
			select {
			case line, ok := <-lines:
				if !ok {
					n.t.Fatalf("serve %s ended without %s:\n%s", flags, pattern, all)
				}
				if found := regexp.MustCompile(pattern).FindStringSubmatch(line); found != nil {
					return found[len(found)-1]
				}
				all += line + "\n"
			case <-enough:
				n.t.Fatalf("serve %s does not say %s:\n%s", flags, pattern, all)
			}
		}
	}
	said(` tools? at http://`)
	return said, kill
}

// firstMinute follows the README literally with a binary that was unpacked from a release,
// and then does everything that goes wrong first. Each message says the way out, and the
// test takes the way out from the message and goes it.
func firstMinute(t *testing.T, binary, readme string) {
	n := newNewcomer(t, binary)
	if said := n.does("glovebox version"); !strings.HasPrefix(said, "glovebox v0.0.") || !strings.Contains(said, "linux/") {
		t.Errorf("it is %s", said)
	}
	if said := n.does("glovebox version --json"); !strings.HasPrefix(said, `{"version":"v0.0.`) {
		t.Errorf("it is %s", said)
	}

	_, section, _ := strings.Cut(readme, "## A tool of your own\n")
	blocks := regexp.MustCompile("(?s)```(?:json)?\n(.*?)```").FindAllStringSubmatch(section, 2)
	if len(blocks) < 2 {
		t.Fatal("the README has no tool and no commands for it")
	}
	n.does("cat > greet.json <<'END'\n" + blocks[0][1] + "END")
	for line := range strings.Lines(blocks[1][1]) {
		n.does(strings.TrimSpace(line), n.atHome())
	}

	t.Log("a port that is taken")
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	free := n.fails("glovebox serve --listen "+taken.Addr().String(), `address already in use; name another address with (--listen), such as (\S+)`, n.atHome())
	_, kill := n.serves("--listen "+free, n.atHome())

	t.Log("a server that was killed")
	kill()
	_, kill = n.serves("--listen 127.0.0.1:0", n.atHome())
	kill()

	t.Log("a second config init")
	n.does("glovebox config init", n.atHome())
	n.does(n.fails("glovebox config init", `exists and stays as it is: .* with (glovebox config validate),`, n.atHome()), n.atHome())

	t.Log("a missing folder, which is empty then")
	n.does(n.fails("glovebox serve --listen 127.0.0.1:0 --folder "+n.home+"/tools", `no such file or directory; make it first: (mkdir -p \S+)`, n.atHome()))
	said, kill := n.serves("--listen 127.0.0.1:0 --folder "+n.home+"/tools", n.atHome())
	n.does(said(`^a first tool: (.*)$`), n.atHome())
	said(`^serving greet$`)
	kill()

	t.Log("fetch is not defined")
	spec := `{"name": "asks", "description": "Asks.", "code": "const ask = fetch; return typeof ask;", "codeType": "Javascript"`
	n.does("echo '" + spec + "}' > asks.json")
	grant := n.fails("glovebox run asks.json", `fetch is not defined: a tool has the network only with ("sandboxOverrides": \{.*\})`, n.atHome())
	n.does("echo '" + spec + ", " + grant + "}' > asks.json")
	if said := n.does("glovebox run asks.json", n.atHome()); !strings.HasPrefix(said, `"function"`) {
		t.Errorf("with a grant: %s", said)
	}

	t.Log("no home, a home of somebody else's, a state folder of somebody else's")
	for _, home := range []struct{ environment, pattern string }{
		{"NOTHING=", `set HOME, or (XDG_STATE_HOME) to a whole path`},
		{"HOME=/usr", `permission denied; set (XDG_STATE_HOME) to a folder of this user`},
		{"XDG_STATE_HOME=" + n.home + "/theirs", `permission denied; set (XDG_STATE_HOME) to a folder of this user`},
	} {
		n.does("mkdir -p theirs own && ln -sfn /usr theirs/glovebox")
		for _, verb := range []string{"run hash --arg text=x", "serve --listen 127.0.0.1:0"} {
			if variable := n.fails("glovebox "+verb, home.pattern, home.environment); variable != "XDG_STATE_HOME" {
				t.Fatalf("%s: set %s", home.environment, variable)
			}
		}
		own := "XDG_STATE_HOME=" + n.home + "/own"
		n.does("glovebox run hash --arg text=x", home.environment, own)
		_, kill := n.serves("--listen 127.0.0.1:0", home.environment, own)
		kill()
	}

	t.Log("no colours, no UTF-8, no terminal, a proxy that is not there")
	out, err := n.command(`glovebox run hash --arg "text=é"`, n.atHome(), "LC_ALL=C", "TERM=dumb", "HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1", "ALL_PROXY=http://127.0.0.1:1").Output()
	// printf 'é' | sha256sum
	if err != nil || string(out) != "\"4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c\"\n" {
		t.Errorf("%s, %v", out, err)
	}
}
