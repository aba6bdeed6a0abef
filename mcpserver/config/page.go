package config

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// group is the group that lists the key.
func (k Key) group() string {
	name := ""
	for _, g := range Groups {
		if strings.HasPrefix(k.Path, g.Name+".") && len(g.Name) > len(name) {
			name = g.Name
		}
	}
	return name
}

// Usage returns the help text of the key's flag: the first sentence.
func (k Key) Usage() string {
	text := k.Doc
	// A sentence ends with a full stop and a space; 127.0.0.1 and ~/.x do not.
	if first, _, more := strings.Cut(text, ". "); more {
		text = first
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + strings.TrimSuffix(text[size:], ".")
}

// Reference returns the list of all settings in Markdown.
func Reference() string {
	var b strings.Builder
	c := Default()
	for _, g := range Groups {
		title := g.Name
		if title == "" {
			title = "address"
		}
		fmt.Fprintf(&b, "### %s\n\n%s\n\n| key | default | environment | flag | change | |\n|---|---|---|---|---|---|\n", title, g.Doc)
		for _, k := range Keys {
			if k.group() != g.Name {
				continue
			}
			flag, change := "", "restart"
			if k.Flag != "" {
				flag = "`--" + k.Flag + "`"
			}
			if k.Live {
				change = "at once"
			}
			fmt.Fprintf(&b, "| `%s` | %s | `%s` | %s | %s | %s |\n", k.Path, cell(k.Show(&c)), k.Env(), flag, change, k.Doc)
		}
		b.WriteString("\n")
	}
	for _, s := range sections() {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n| key | default | |\n|---|---|---|\n", s.name, s.doc)
		for _, k := range s.settings {
			fmt.Fprintf(&b, "| `%s.NAME.%s` | %s | %s |\n", s.name, k.Path, cell(unset(s.field(k.Path))), k.Doc)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// unset is the default of a setting of a member; empty where the setting's own text
// says what holds without it.
func unset(field any) string {
	switch field.(type) {
	case *int, *Size, *time.Duration:
		return "{}"
	}
	return show(field)
}

// cell formats a default for a table: empty values stay empty.
func cell(text string) string {
	if text == `""` || text == "[]" || text == "{}" {
		return ""
	}
	return "`" + text + "`"
}

// Example returns a file with every setting at its default, all commented out.
// Removing the comment signs gives a file that means the same.
func Example() string {
	var b strings.Builder
	b.WriteString("# Glovebox configuration. Every setting is here, at its default.\n# Check it with: glovebox config validate\n")
	c := Default()
	var open []string // the groups of the last line
	for _, g := range Groups {
		b.WriteString("\n" + comment("# ", g.Doc))
		for _, k := range Keys {
			if k.group() != g.Name {
				continue
			}
			steps := strings.Split(k.Path, ".")
			groups := steps[:len(steps)-1]
			for i := range groups {
				if i >= len(open) || open[i] != groups[i] {
					fmt.Fprintf(&b, "#%s%s:\n", indent(i), groups[i])
					open = append([]string{}, groups[:i+1]...)
				}
			}
			open = groups
			before := "# "
			if len(groups) > 0 {
				before = "#" + indent(len(groups)) + "# "
			}
			fmt.Fprintf(&b, "%s#%s%s: %s\n", comment(before, k.Doc), indent(len(groups)), steps[len(groups)], k.Show(&c))
		}
		for _, s := range sections() {
			if in, word := s.group(); in == g.Name && in != "" {
				before := "#" + indent(1) + "# "
				fmt.Fprintf(&b, "%s%s#%s%s: {}\n", comment(before, s.doc), comment(before, "Such as "+s.example), indent(1), word)
			}
		}
	}
	for _, s := range sections() {
		if in, _ := s.group(); in == "" {
			fmt.Fprintf(&b, "\n%s%s#%s: {}\n", comment("# ", s.doc), comment("# ", "Such as "+s.example), s.name)
		}
	}
	return b.String()
}

func indent(depth int) string { return strings.Repeat("  ", depth) }

// comment wraps a text into lines of at most 100 characters, each starting with
// before.
func comment(before, text string) string {
	var b strings.Builder
	line := before
	for word := range strings.FieldsSeq(text) {
		if len(line)+len(word) >= 100 {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = before
		}
		line += word + " "
	}
	return b.String() + strings.TrimRight(line, " ") + "\n"
}
