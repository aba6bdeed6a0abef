package egress

import (
	"bytes"
	"fmt"
	"io"

	"github.com/glovebox-run/glovebox/risk/egress/internal/ascii"
	"github.com/glovebox-run/glovebox/risk/egress/internal/finder"
	"github.com/glovebox-run/glovebox/risk/egress/internal/pattern"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
	"github.com/goccy/go-yaml"
)

// Config is the content of an operator's file: a policy, and rules in addition to the
// built-in ones.
type Config struct {
	Policy Policy
	Rules  []rules.Rule
}

// policyFile is the file as written. Unknown fields are an error, so that a misspelt
// one does not silently weaken a policy.
type policyFile struct {
	MaxBytes int                   `yaml:"max_bytes"`
	Classes  map[string]string     `yaml:"classes"`
	Rules    map[string]string     `yaml:"rules"`
	Tools    map[string]toolPolicy `yaml:"tools"`
	Formats  []format              `yaml:"formats"`
}

type toolPolicy struct {
	Classes map[string]string `yaml:"classes"`
	Rules   map[string]string `yaml:"rules"`
}

type format struct {
	ID       string   `yaml:"id"`
	Kind     string   `yaml:"kind"`
	Class    string   `yaml:"class"`
	Words    []string `yaml:"words"`
	Pattern  string   `yaml:"pattern"`
	Mixed    bool     `yaml:"mixed"`
	Entropy  float64  `yaml:"entropy"`
	Examples struct {
		Match  []string `yaml:"match"`
		Ignore []string `yaml:"ignore"`
	} `yaml:"examples"`
}

// fewestExamples is how many examples of each kind an operator's rule needs: an
// untested pattern is worse than none.
const fewestExamples = 2

// ParseConfig reads an operator's file. Settings it omits are those of
// [DefaultPolicy]; every rule in it is tested on its examples.
func ParseConfig(text []byte) (Config, error) {
	config := Config{Policy: DefaultPolicy()}
	var file policyFile
	if err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(&file); err != nil && err != io.EOF {
		return config, err
	}
	if file.MaxBytes < 0 {
		return config, fmt.Errorf("max_bytes: %d is less than nothing", file.MaxBytes)
	}
	config.Policy.MaxBytes = file.MaxBytes
	ids := map[string]bool{}
	for _, r := range rules.Builtin() {
		ids[r.ID] = true
	}
	for _, f := range file.Formats {
		r, err := f.rule()
		if err != nil {
			return config, fmt.Errorf("formats: %q: %w", f.ID, err)
		}
		if ids[r.ID] {
			return config, fmt.Errorf("formats: %q: the id is taken", f.ID)
		}
		ids[r.ID] = true
		config.Rules = append(config.Rules, r)
	}
	if err := actions(config.Policy.Classes, nil, file.Classes, nil, ids, ""); err != nil {
		return config, err
	}
	config.Policy.Rules = map[string]Action{}
	if err := actions(nil, config.Policy.Rules, nil, file.Rules, ids, ""); err != nil {
		return config, err
	}
	config.Policy.Tools = map[string]Policy{}
	for name, t := range file.Tools {
		p := Policy{Classes: map[rules.Class]Action{}, Rules: map[string]Action{}}
		if err := actions(p.Classes, p.Rules, t.Classes, t.Rules, ids, "tools: "+name+": "); err != nil {
			return config, err
		}
		config.Policy.Tools[name] = p
	}
	return config, nil
}

// actions reads the two maps of actions of one policy.
func actions(classes map[rules.Class]Action, byRule map[string]Action, classNames, ruleNames map[string]string, ids map[string]bool, where string) error {
	for name, word := range classNames {
		class := rules.Class(name)
		if class != rules.Credential && class != rules.Personal && class != rules.Internal {
			return fmt.Errorf("%sclasses: %q: want credential, personal or internal", where, name)
		}
		a, err := ParseAction(word)
		if err != nil {
			return fmt.Errorf("%sclasses: %s: %w", where, name, err)
		}
		classes[class] = a
	}
	for id, word := range ruleNames {
		targets := rules.ByLabel(id)
		if ids[id] {
			targets = []string{id}
		}
		if len(targets) == 0 {
			return fmt.Errorf("%srules: there is no rule %q", where, id)
		}
		a, err := ParseAction(word)
		if err != nil {
			return fmt.Errorf("%srules: %s: %w", where, id, err)
		}
		for _, target := range targets {
			byRule[target] = a
		}
	}
	return nil
}

// rule checks a format and tries it.
func (f *format) rule() (rules.Rule, error) {
	r := rules.Rule{ID: f.ID, Kind: f.Kind, Class: rules.Class(f.Class), Words: f.Words, Pattern: f.Pattern, Mixed: f.Mixed, Entropy: f.Entropy, Match: f.Examples.Match, Ignore: f.Examples.Ignore}
	if !plainID(f.ID) || f.Kind != "" && !plainID(f.Kind) {
		return r, fmt.Errorf("id and kind are lower-case letters, digits and hyphens")
	}
	if _, err := pattern.Compile(f.Pattern); err != nil {
		return r, err
	}
	if len(r.Match) < fewestExamples || len(r.Ignore) < fewestExamples {
		return r, fmt.Errorf("give at least %d examples of each kind, under match and ignore", fewestExamples)
	}
	return r, Try(r)
}

// Try reports whether a rule on its own finds something in all its matching
// examples and nothing in the others.
func Try(r rules.Rule) error {
	engine, err := finder.NewEngine([]rules.Rule{r})
	if err != nil {
		return err
	}
	policy := DefaultPolicy()
	for _, text := range r.Match {
		if len(finder.NewSweep(engine, policy.wants).Any([]byte(text), 0)) == 0 {
			return fmt.Errorf("nothing is found in the example %q", text)
		}
	}
	for _, text := range r.Ignore {
		if len(finder.NewSweep(engine, policy.wants).Any([]byte(text), 0)) > 0 {
			return fmt.Errorf("something is found in the example %q", text)
		}
	}
	return nil
}

// plainID keeps what goes into placeholders from being anything but a word.
func plainID(id string) bool {
	for _, c := range []byte(id) {
		if !ascii.IsLower(c) && (c < '0' || '9' < c) && c != '-' {
			return false
		}
	}
	return id != "" && len(id) <= 64
}
