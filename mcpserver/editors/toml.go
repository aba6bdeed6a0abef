package editors

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tailscale/hujson"
)

// tomlText is TOML with a table for each server.
type tomlText struct{}

func (tomlText) entry(text []byte, key, name string) (string, error) {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		return "", err
	}
	if all[key] == nil {
		return "", nil
	}
	servers, ok := all[key].(map[string]any)
	if !ok {
		return "", fmt.Errorf("%q is not a table", key)
	}
	// TOML does not allow adding to an inline table, although this parser would.
	top := text
	if first := header.FindIndex(text); first != nil {
		top = text[:first[0]]
	}
	if inline := regexp.MustCompile(`(?m)^[ \t]*["']?` + regexp.QuoteMeta(key) + `["']?[ \t]*=`); inline.Match(top) {
		return "", fmt.Errorf("%q is an inline table", key)
	}
	if servers[name] == nil {
		return "", nil
	}
	if _, ok := servers[name].(map[string]any); !ok {
		return "", fmt.Errorf("%q is not a table", name)
	}
	entry, err := json.Marshal(servers[name])
	return string(entry), err
}

func (t tomlText) set(text []byte, key, name string, entry []byte) ([]byte, error) {
	var e struct {
		Command string
		Args    []string
	}
	if err := json.Unmarshal(entry, &e); err != nil {
		return nil, err
	}
	old, err := t.entry(text, key, name)
	if err != nil {
		return nil, err
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = quote(a)
	}
	lines := []string{
		fmt.Sprintf("[%s.%s]", key, tomlKey(name)),
		"command = " + quote(e.Command),
		"args = [" + strings.Join(args, ", ") + "]",
		"",
	}
	table := strings.Join(lines, newline)
	if old != "" {
		from, to, err := t.table(text, key, name)
		if err != nil {
			return nil, err
		}
		table, err := again(text, key, name, e.Command, e.Args)
		return bytes.Join([][]byte{text[:from], bytes.ReplaceAll(table, []byte("\n"), []byte(newline)), text[to:]}, nil), err
	}
	switch {
	case len(text) == 0:
	case bytes.HasSuffix(text, []byte("\n")):
		table = newline + table
	default:
		table = newline + newline + table
	}
	return append(bytes.Clone(text), table...), nil
}

// again rewrites the tables of an existing server for another program.
func again(text []byte, key, name, command string, args []string) ([]byte, error) {
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	entry := all[key].(map[string]any)[name].(map[string]any)
	entry["command"], entry["args"] = command, args
	var b bytes.Buffer
	encoder := toml.NewEncoder(&b)
	encoder.Indent = ""
	err := encoder.Encode(map[string]any{key: map[string]any{name: entry}})
	_, table, _ := bytes.Cut(b.Bytes(), []byte("["+key+"]\n"))
	return table, err
}

func (t tomlText) remove(text []byte, key, name string) ([]byte, error) {
	from, to, err := t.table(text, key, name)
	if err != nil {
		return nil, err
	}
	before := bytes.TrimSuffix(bytes.TrimSuffix(text[:from], []byte("\n")), []byte("\r"))
	if !bytes.HasSuffix(before, []byte("\n")) {
		before = text[:from] // no empty line to remove with it
	}
	return bytes.Join([][]byte{before, text[to:]}, nil), nil
}

var header = regexp.MustCompile(`(?m)^[ \t]*\[`)

// table returns the range of a server's table: from its header to the end of its
// last line with content, including its subtables.
func (tomlText) table(text []byte, key, name string) (from, to int, err error) {
	spelled := `(?:` + regexp.QuoteMeta(name) + `|` + regexp.QuoteMeta(quote(name)) + `|'` + regexp.QuoteMeta(name) + `')`
	own := regexp.MustCompile(`(?m)^[ \t]*\[[ \t]*` + regexp.QuoteMeta(key) + `[ \t]*\.[ \t]*` + spelled + `[ \t]*[\].]`)
	at := own.FindIndex(text)
	if at == nil {
		return 0, 0, errors.New("the server is not a table of its own")
	}
	from, to = at[0], len(text)
	for _, next := range header.FindAllIndex(text, -1) {
		if also := own.FindIndex(text[next[0]:]); next[0] > from && (also == nil || also[0] > 0) {
			to = next[0]
			break
		}
	}
	// Comments and empty lines before the next table belong to that one.
	lines := bytes.SplitAfter(text[from:to], []byte("\n"))
	for len(lines) > 1 && to < len(text) {
		if last := bytes.TrimSpace(lines[len(lines)-1]); len(last) > 0 && last[0] != '#' {
			break
		}
		to -= len(lines[len(lines)-1])
		lines = lines[:len(lines)-1]
	}
	return from, to, nil
}

// quote quotes a text: TOML basic strings accept JSON's escapes.
func quote(text string) string { return string(hujson.String(text)) }

func tomlKey(name string) string {
	for _, r := range name {
		if r > 0x7f || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", r) {
			return quote(name)
		}
	}
	return name
}
