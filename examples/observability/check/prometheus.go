package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// patience is how long anything here may take.
const patience = 2 * time.Minute

// specs are tools whose calls make every metric of the dashboard appear: a guard stops one,
// a secret is taken out of what one returns, and a person is asked about one.
var specs = map[string]string{
	"blocked": `"code": "try { await fetch('http://127.0.0.1:9/'); } catch {} return 1;", "sandboxOverrides": {"networkMode": "allowlist", "hostsAllow": ["127.0.0.1"]}, "humanInTheLoop": {"mode": "DISABLED"}`,
	"secret":  `"code": "return 'ghp_' + 'x7Kd9QmR2vTn4LpW8sYbZc3HfJg5AeUi6oP1';"`,
	"asked":   `"code": "return 1;", "humanInTheLoop": {"mode": "REQUIRED"}`,
}

// scrape has a real Prometheus read a real server with the example configuration, and asks
// it for the metrics that the dashboard shows and for the alerts.
func scrape(folder string, metrics []string) (err error) {
	dir, err := os.MkdirTemp("", "scrape")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	at, stop, err := serve(dir)
	if err != nil {
		return err
	}
	defer stop()

	text, err := os.ReadFile(filepath.Join(folder, "prometheus.yml"))
	if err != nil {
		return err
	}
	rules, err := filepath.Abs(filepath.Join(folder, "alerts.yml"))
	if err != nil {
		return err
	}
	file := string(text)
	for example, here := range map[string]string{"[alerts.yml]": "[" + rules + "]", "/etc/prometheus/glovebox-token": tokenOf(dir), "127.0.0.1:8282": at} {
		if strings.Count(file, example) != 1 {
			return fmt.Errorf("prometheus.yml has not one %s", example)
		}
		file = strings.Replace(file, example, here, 1)
	}
	name := filepath.Join(dir, "prometheus.yml")
	// The default is once a minute.
	if err := os.WriteFile(name, []byte("global: {scrape_interval: 1s, evaluation_interval: 1s}\n"+file), 0o600); err != nil {
		return err
	}
	prometheus := exec.Command("prometheus", "--config.file="+name, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address=127.0.0.1:0")
	api, end, err := started(prometheus, regexp.MustCompile(`msg="?Listening on"? address=(\S+)`))
	if err != nil {
		return err
	}
	defer end()

	questions := []string{`up{job="glovebox"} == 1`}
	for _, metric := range metrics {
		questions = append(questions, metric+`{job="glovebox"}`)
	}
	for _, question := range questions {
		if err := answered(api, question); err != nil {
			return err
		}
	}
	var loaded struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Health, LastError string }
			}
		}
	}
	err = within(func() error {
		if err := get("http://"+api+"/api/v1/rules", &loaded); err != nil {
			return err
		}
		if len(loaded.Data.Groups) == 0 {
			return errors.New("it has no rules")
		}
		for _, g := range loaded.Data.Groups {
			for _, r := range g.Rules {
				if r.Health != "ok" {
					return fmt.Errorf("the rule %s is %s: %s", r.Name, r.Health, r.LastError)
				}
			}
		}
		return nil
	})
	if err == nil {
		fmt.Printf("prometheus has %d metrics of the dashboard and evaluates the rules\n", len(metrics))
	}
	return err
}

// serve starts a server of this commit whose tools were called once each.
func serve(dir string) (at string, stop func(), err error) {
	tools := filepath.Join(dir, "tools")
	if err := os.Mkdir(tools, 0o700); err != nil {
		return "", nil, err
	}
	for name, rest := range specs {
		spec := fmt.Sprintf(`{"name": %q, "description": "The tool %s.", "codeType": "Javascript", %s}`, name, name, rest)
		if err := os.WriteFile(filepath.Join(tools, name+".json"), []byte(spec), 0o600); err != nil {
			return "", nil, err
		}
	}
	glovebox := filepath.Join(dir, "glovebox.exe")
	foreign := func(v string) bool { return strings.HasPrefix(v, "GLOVEBOX_") }
	environment := append(slices.DeleteFunc(os.Environ(), foreign), "XDG_STATE_HOME="+dir, "XDG_CONFIG_HOME="+dir, "GLOVEBOX_APPROVALS_WAIT=1ms")
	build, test := exec.Command("go", "build", "-o", glovebox, "./cmd/glovebox"), exec.Command(glovebox, "test", "--write", tools)
	test.Env = environment // go has its settings where XDG_CONFIG_HOME says
	for _, cmd := range []*exec.Cmd{build, test} {
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", nil, fmt.Errorf("%s: %w: %s", cmd, err, out)
		}
	}
	cmd := exec.Command(glovebox, "serve", "--listen", "127.0.0.1:0", "--folder", tools)
	cmd.Env = environment
	if at, stop, err = started(cmd, regexp.MustCompile(`3 tools at http://(\S+)/mcp`)); err != nil {
		return "", nil, err
	}
	for name := range specs {
		if err := call(dir, at, name); err != nil {
			stop()
			return "", nil, err
		}
	}
	return at, stop, nil
}

func tokenOf(dir string) string { return filepath.Join(dir, "glovebox", "token") }

// call calls a tool. Whether it may run is not what is asked here.
func call(dir, at, tool string) error {
	token, err := os.ReadFile(tokenOf(dir))
	if err != nil {
		return err
	}
	const version = "2026-07-28"
	body := fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": %q, "arguments": {}, "_meta": {"io.modelcontextprotocol/protocolVersion": %q, "io.modelcontextprotocol/clientCapabilities": {}}}}`, tool, version)
	r, err := http.NewRequest(http.MethodPost, "http://"+at+"/mcp", strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = http.Header{
		"Authorization": {"Bearer " + strings.TrimSpace(string(token))}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {version}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {tool},
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("calling %s: %s %s %w", tool, response.Status, said, err)
	}
	return nil
}

// started starts a program and returns what it says that a pattern finds.
func started(cmd *exec.Cmd, pattern *regexp.Regexp) (found string, stop func(), err error) {
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	all := ""
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if at := pattern.FindStringSubmatch(lines.Text()); at != nil {
			go func() { _, _ = io.Copy(io.Discard, stderr) }()
			return at[1], stop, nil
		}
		all += lines.Text() + "\n"
	}
	stop()
	return "", nil, fmt.Errorf("%s does not say %s:\n%s", cmd, pattern, all)
}

// answered waits until a query has an answer.
func answered(api, query string) error {
	return within(func() error {
		var answer struct {
			Status string
			Data   struct{ Result []any }
		}
		if err := get("http://"+api+"/api/v1/query?query="+url.QueryEscape(query), &answer); err != nil {
			return err
		}
		if answer.Status != "success" || len(answer.Data.Result) == 0 {
			return fmt.Errorf("prometheus has no %s", query)
		}
		return nil
	})
}

// within tries until there is no error.
func within(try func() error) error {
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		if err := try(); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

func get(address string, into any) error {
	response, err := http.Get(address)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return json.NewDecoder(response.Body).Decode(into)
}
