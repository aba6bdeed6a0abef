// Command check has promtool check the alert rules, run their tests, and parse every query
// of the dashboard. Then Prometheus, if it is installed, reads a server.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if err := check("examples/observability"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "dashboard.json"))
	if err != nil {
		return err
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		return err
	}
	type rule struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var rules []rule
	var metrics []string
	named := regexp.MustCompile(`glovebox_[a-z_]+`)
	for _, p := range dashboard.Panels {
		for _, t := range p.Targets {
			// What Grafana puts in the place of its variables.
			expr := strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*").Replace(t.Expr)
			metrics = append(metrics, named.FindAllString(expr, -1)...)
			rules = append(rules, rule{fmt.Sprintf("dashboard:query:%d", len(rules)), expr})
		}
	}
	// A file of rules in JSON is one in YAML.
	queries, err := json.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp("", "queries")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	name := filepath.Join(temporary, "dashboard.yml")
	if err := os.WriteFile(name, queries, 0o600); err != nil {
		return err
	}
	for _, arguments := range [][]string{
		{"check", "rules", filepath.Join(folder, "alerts.yml")}, {"test", "rules", filepath.Join(folder, "alerts_test.yml")}, {"check", "rules", name},
	} {
		cmd := exec.Command("promtool", arguments...)
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("promtool %s: %w", strings.Join(arguments, " "), err)
		}
	}
	if _, err := exec.LookPath("prometheus"); err != nil {
		fmt.Fprintln(os.Stderr, "no prometheus: nothing was scraped")
		return nil
	}
	slices.Sort(metrics)
	return scrape(folder, slices.Compact(metrics))
}
