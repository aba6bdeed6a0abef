package rules

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// gitleaksFile is the part of a gitleaks rule file that describes texts. What
// describes commits, files and reports has no meaning here.
type gitleaksFile struct {
	Rules []struct {
		ID          string
		Regex       string
		Path        string
		SecretGroup int
		Entropy     float64
		Keywords    []string
		Allowlist   *gitleaksAllow  // before version 8.25
		Allowlists  []gitleaksAllow // since
		Required    []map[string]any
	}
}

type gitleaksAllow struct {
	Condition   string
	RegexTarget string
	Regexes     []string
	StopWords   []string
	Paths       []string
	Commits     []string
}

// Skipped is a rule of a file that was not imported, and why.
type Skipped struct{ ID, Reason string }

// importedPrefix keeps imported ids apart from the built-in ones.
const importedPrefix = "gitleaks-"

// ImportGitleaks reads a gitleaks rule file (TOML). A rule is searched for near
// its keywords only, so one without keywords is skipped, as are those that
// depend on the path of a file.
func ImportGitleaks(text []byte) ([]Rule, []Skipped, error) {
	var file gitleaksFile
	if _, err := toml.Decode(string(text), &file); err != nil {
		return nil, nil, err
	}
	var list []Rule
	var skipped []Skipped
	for _, in := range file.Rules {
		kind := plain(in.ID)
		r := Rule{ID: importedPrefix + kind, Kind: kind, Regexp: in.Regex, Group: in.SecretGroup, Words: in.Keywords, Entropy: in.Entropy}
		reason := ""
		switch {
		case in.Path != "":
			reason = "it holds for files of certain names"
		case in.Regex == "":
			reason = "it has no regular expression"
		case len(in.Keywords) == 0:
			reason = "it has no keywords to search near"
		case len(in.Required) > 0:
			reason = "it requires other rules nearby"
		}
		if reason == "" {
			if _, err := regexp.Compile(in.Regex); err != nil {
				reason = err.Error()
			}
		}
		if in.Allowlist != nil {
			in.Allowlists = append(in.Allowlists, *in.Allowlist)
		}
		for _, allow := range in.Allowlists {
			if reason == "" {
				reason = r.allow(allow)
			}
		}
		if reason != "" {
			skipped = append(skipped, Skipped{in.ID, reason})
			continue
		}
		list = append(list, r)
	}
	if len(list) == 0 && len(skipped) == 0 {
		return nil, nil, fmt.Errorf("the file has no [[rules]]")
	}
	return list, skipped, nil
}

// plain keeps anything but a word out of placeholders.
func plain(id string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(id))
}

// allow takes one allowlist over. It returns why the rule would find too much
// without the part that cannot be.
func (r *Rule) allow(in gitleaksAllow) string {
	if in.RegexTarget != "" && in.RegexTarget != "match" && in.RegexTarget != "secret" {
		return fmt.Sprintf("its allowlist looks at the %s", in.RegexTarget)
	}
	if strings.EqualFold(in.Condition, "AND") && (len(in.Paths) > 0 || len(in.Commits) > 0) {
		return "" // never met: texts have neither paths nor commits
	}
	for _, expr := range in.Regexes {
		re, err := regexp.Compile(expr)
		if err != nil {
			return err.Error()
		}
		if in.RegexTarget == "match" {
			r.AllowMatch = append(r.AllowMatch, re)
		} else {
			r.AllowValue = append(r.AllowValue, re)
		}
	}
	for _, w := range in.StopWords {
		r.AllowWords = append(r.AllowWords, strings.ToLower(w))
	}
	return ""
}
