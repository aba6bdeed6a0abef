package check

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/nats-io/nkeys"
)

// patience is for what must happen, on a machine that has other things to do as well.
const patience = 2 * time.Minute

const token = "a-token-that-nobody-guesses-4711"

// compose reads the compose file as docker does.
func compose(t *testing.T) *types.Project {
	t.Helper()
	o, err := cli.NewProjectOptions([]string{"../compose/compose.yaml"}, cli.WithEnv([]string{"GATEWAY_KEY=UABC"}), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	p, err := o.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTheComposeFile: three of each, nothing writable but volumes, no privilege, no secret in
// the file, every image with a version, and enough time to stop.
func TestTheComposeFile(t *testing.T) {
	p := compose(t)
	config, err := os.ReadFile("../compose/glovebox.yaml")
	if err != nil {
		t.Fatal(err)
	}
	linger, drain := limits(t, config)
	volumes := map[string]string{}
	kinds := map[string]int{}
	for name, s := range p.Services {
		kind := strings.TrimRight(name, "-0123456789")
		kinds[kind]++
		_, version, _ := strings.Cut(s.Image, ":")
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) || s.Privileged || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") || version == "" || version == "latest" {
			t.Errorf("%s: %+v", name, s)
		}
		for _, v := range s.Volumes {
			if volumes[v.Source] != "" || v.Type != "volume" {
				t.Errorf("%s and %s share %s", name, volumes[v.Source], v.Source)
			}
			volumes[v.Source] = name
		}
		if s.Restart != "unless-stopped" {
			t.Errorf("%s is not started again", name)
		}
		if name == "gateway" {
			continue
		}
		if s.HealthCheck == nil || len(s.Ports) > 0 || s.User == "" {
			t.Errorf("%s: no health check, or a port for everybody", name)
		}
		if kind == "gateway" && (!slices.Equal(s.HealthCheck.Test, []string{"CMD", "/glovebox", "health"}) || time.Duration(*s.StopGracePeriod) < linger+drain+5*time.Second) {
			t.Errorf("%s: %v, %v", name, s.HealthCheck.Test, s.StopGracePeriod)
		}
	}
	// "gateway" is also the balancer's.
	if kinds["gateway"] != 4 || kinds["nats"] != 3 || len(volumes) != 6 || !p.Networks["store"].Internal {
		t.Errorf("%v, %v", kinds, volumes)
	}
	for _, file := range p.Configs {
		if _, err := os.Stat(file.File); err != nil {
			t.Error(err)
		}
	}
	for name, secret := range p.Secrets {
		if secret.File == "" {
			t.Errorf("the secret %s is in the file", name)
		}
	}
}

// build builds a program.
func build(t *testing.T, dir, from, pkg string) string {
	t.Helper()
	program := filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", program, pkg)
	cmd.Dir = from
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// ports of loopback at which nobody listened a moment ago, below those that systems hand
// out.
func ports(t *testing.T, n int) (all []int) {
	t.Helper()
	for tries := 0; len(all) < n; tries++ {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 10000+rand.IntN(20000)))
		if err != nil && tries < 100 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		all = append(all, l.Addr().(*net.TCPAddr).Port)
	}
	return all
}

// output is what a process has said.
type output struct {
	mu sync.Mutex
	bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Buffer.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Buffer.String()
}

// process is one that the test has started.
type process struct {
	*exec.Cmd
	said  output
	ended chan struct{}
	err   error // once it has ended
}

func start(t *testing.T, env []string, program string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(program, args...), ended: make(chan struct{})}
	p.Env, p.Stdout, p.Stderr = append(os.Environ(), env...), &p.said, &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.err = p.Wait(); close(p.ended) }()
	t.Cleanup(func() {
		p.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("%s %v said: %s", filepath.Base(program), args, p.said.String())
		}
	})
	return p
}

// becomes waits until something holds.
func becomes(t *testing.T, what string, holds func() error) {
	t.Helper()
	for started := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := holds()
		if err == nil {
			return
		}
		if time.Since(started) > patience {
			t.Fatalf("%s: %v", what, err)
		}
	}
}

// get succeeds if a probe would.
func get(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 6*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return nil
}

// call calls a tool and returns the answer.
func call(url, tool string) (string, error) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`, tool)
	r, err := http.NewRequest("POST", url+"/mcp", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": "Bearer " + token, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.Status + " " + string(text), err
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// replaced has every text replaced that must be there.
func replaced(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("there is no %q in\n%s", pairs[i], text)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// TestEachWayRuns starts three members and three gateways with the files of each way, in
// which only addresses, ports and paths are replaced; publishes a spec, calls it at every
// gateway, and tells one to stop.
func TestEachWayRuns(t *testing.T) {
	bin := t.TempDir()
	member := build(t, bin, ".", "github.com/nats-io/nats-server/v2")
	glovebox := build(t, bin, "../../..", "./cmd/glovebox")
	rendered, err := render(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	chart := decode(t, rendered)
	pod := chart.gateways.Spec.Template.Spec
	for _, way := range []struct {
		name, nats, config, store string
		hosts                     [3]string
		secrets, ready, alive     string
		grace                     time.Duration
	}{
		{"compose", read(t, "../compose/nats.conf"), read(t, "../compose/glovebox.yaml"), "/data", [3]string{"nats-1", "nats-2", "nats-3"}, "/run/secrets", "/readyz", "/healthz", time.Duration(*compose(t).Services["gateway-1"].StopGracePeriod)},
		// The members of the chart are those of another chart; they are configured as in compose.
		{"helm", read(t, "../compose/nats.conf"), chart.config.Data["config.yaml"], "/data", [3]string{"glovebox-nats", "", ""}, "/etc/glovebox/secrets", pod.Containers[0].ReadinessProbe.HTTPGet.Path, pod.Containers[0].LivenessProbe.HTTPGet.Path, time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second},
		{"systemd", read(t, "../systemd/nats-server.conf"), read(t, "../systemd/config.yaml"), "/var/lib/nats", [3]string{"n1", "n2", "n3"}, "/run/credentials/glovebox.service", "/readyz", "/healthz", 45 * time.Second},
	} {
		t.Run(way.name, func(t *testing.T) {
			dir := t.TempDir()
			pair, err := nkeys.CreateUser()
			if err != nil {
				t.Fatal(err)
			}
			seed, _ := pair.Seed()
			public, _ := pair.PublicKey()
			write(t, dir+"/secrets/gateway.nk", string(seed))
			write(t, dir+"/secrets/token", token+"\n")

			all := ports(t, 12)
			clients, routes, watch, serves := all[:3], all[3:6], all[6:9], all[9:]
			var urls, between []string
			for n := range 3 {
				urls = append(urls, fmt.Sprint("nats://127.0.0.1:", clients[n]))
				between = append(between, fmt.Sprint("nats://route:r0ute-secret@127.0.0.1:", routes[n]))
			}
			for n := range 3 {
				home := fmt.Sprintf("%s/member%d", dir, n)
				include := "routes.conf"
				name := fmt.Sprint("m", n)
				monitor := "http: 0.0.0.0:8222"
				pairs := []string{"listen: 0.0.0.0:4222", fmt.Sprint("listen: 127.0.0.1:", clients[n]), "listen: 0.0.0.0:6222", fmt.Sprint("listen: 127.0.0.1:", routes[n]), "store_dir: " + way.store, "store_dir: " + home + "/store"}
				if way.name == "systemd" {
					include, monitor = "nats-routes.conf", "http: 127.0.0.1:8222"
					pairs = append(pairs, "server_name: n1", "server_name: "+name)
				}
				pairs = append(pairs, monitor, fmt.Sprint("http: 127.0.0.1:", watch[n]))
				write(t, home+"/nats.conf", replaced(t, way.nats, pairs...))
				write(t, home+"/"+include, "authorization { user: route, password: \"r0ute-secret\" }\nroutes: ["+strings.Join(between, ", ")+"]\n")
				start(t, []string{"NAME=" + name, "GATEWAY_KEY=" + public}, member, "--config", home+"/nats.conf")
			}
			for n := range 3 {
				becomes(t, "a member is healthy", func() error { return get(fmt.Sprintf("http://127.0.0.1:%d/healthz", watch[n])) })
			}
			// Only who has the seed is let in.
			if out, err := exec.Command(glovebox, "publish", "--show", "--nats", urls[0]).CombinedOutput(); err == nil || !strings.Contains(string(out), "store-denied") {
				t.Errorf("without the nkey: %v, %s", err, out)
			}

			machine := func(name string, args ...string) ([]string, []string) {
				return []string{"XDG_STATE_HOME=" + dir + "/" + name, "XDG_CACHE_HOME=" + bin + "/cache", "XDG_CONFIG_HOME=" + dir + "/none", "HOME=" + dir}, args
			}
			does := func(name string, args ...string) string {
				t.Helper()
				env, args := machine(name, args...)
				cmd := exec.Command(glovebox, args...)
				cmd.Env = append(os.Environ(), env...)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("glovebox %v: %v: %s", args, err, out)
				}
				return string(out)
			}
			write(t, dir+"/specs/word.json", `{"name": "word", "description": "Says a word.", "code": "return 'published';", "codeType": "Javascript", "draft": false}`)
			_, key, found := strings.Cut(does("author", "test", "--sign", dir+"/specs"), "specs.pass_keys: ")
			if !found {
				t.Fatal("the key is not said")
			}
			key = strings.Fields(key)[0]

			var gateways []*process
			var again []func() *process
			for n := range 3 {
				name := fmt.Sprint("gateway", n)
				file := dir + "/" + name + ".yaml"
				pairs := []string{"listen: 0.0.0.0:8282", fmt.Sprint("listen: 127.0.0.1:", serves[n]), way.secrets, dir + "/secrets"}
				for i, host := range way.hosts {
					if host != "" {
						pairs = append(pairs, "nats://"+host+":4222", urls[i])
					}
				}
				write(t, file, replaced(t, way.config, pairs...))
				env, args := machine(name, "serve", "--config", file, "--pass-key", key)
				if way.name == "helm" {
					env = append(env, "GLOVEBOX_TOKEN="+token)
				}
				again = append(again, func() *process { return start(t, env, glovebox, args...) })
				gateways = append(gateways, again[n]())
			}
			at := func(n int) string { return fmt.Sprint("http://127.0.0.1:", serves[n]) }
			for n := range 3 {
				becomes(t, "alive", func() error {
					select {
					case <-gateways[n].ended: // the cluster was too slow for it: each way says to start it again
						gateways[n] = again[n]()
					default:
					}
					return get(at(n) + way.alive)
				})
				becomes(t, "ready", func() error { return get(at(n) + way.ready) })
				does(fmt.Sprint("gateway", n), "health") // as in compose
			}
			does("author", "publish", dir+"/specs", "--nats", urls[0], "--nats-nkey", dir+"/secrets/gateway.nk")
			for n := range 3 {
				becomes(t, "the spec is served", func() error {
					answer, err := call(at(n), "word")
					if err == nil && !strings.Contains(answer, "published") {
						err = fmt.Errorf("%s", answer)
					}
					return err
				})
			}
			if err := gateways[0].Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			told := time.Now()
			becomes(t, "the balancer is told", func() error {
				if get(at(0)+way.ready) == nil {
					return fmt.Errorf("it is ready")
				}
				return nil
			})
			for n := range 3 { // it lingers: whoever still asks it is answered
				if answer, err := call(at(n), "word"); err != nil || !strings.Contains(answer, "published") {
					t.Errorf("gateway %d, while one leaves: %s, %v", n, answer, err)
				}
			}
			select {
			case <-gateways[0].ended:
				if gateways[0].err != nil {
					t.Errorf("it ends with %v", gateways[0].err)
				}
				t.Logf("it took %v of %v to stop", time.Since(told).Round(time.Second), way.grace)
			case <-time.After(way.grace):
				t.Errorf("it has not stopped in %v", way.grace)
			}
		})
	}
}
