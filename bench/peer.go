package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// tool is a function body with named parameters, as a Safe Tool Spec has one.
type tool struct {
	name      string
	body      string
	params    []string
	arguments string // JSON object
}

// peer is a way to run JavaScript. Calls of one peer do not overlap.
type peer interface {
	Name() string
	// Fresh calls the tool n times, each time in a sandbox that nothing ran in
	// before, and returns how long each call took, the making of the sandbox
	// included.
	Fresh(t tool, n int) (sample, error)
	// Program runs a script once and returns the time and its value as text.
	Program(source string) (time.Duration, string, error)
	Close() error
}

func loadTools(dir string) ([]tool, error) {
	params := map[string][]string{"noop": nil, "json": {"items", "currency"}}
	var tools []tool
	for _, name := range []string{"noop", "json"} {
		body, err := os.ReadFile(filepath.Join(dir, name+".js"))
		if err != nil {
			return nil, err
		}
		args, err := os.ReadFile(filepath.Join(dir, name+".args.json"))
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool{name, string(body), params[name], string(args)})
	}
	return tools, nil
}

// timed runs f n times.
func timed(n int, f func() error) (sample, error) {
	s := make(sample, 0, n)
	for range n {
		start := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		s = append(s, time.Since(start))
	}
	return s, nil
}

// wrapped is the script that the engines without a tool model run: the body as
// an async function, arguments from JSON, the result to JSON in `result`.
func wrapped(t tool) string {
	call := ""
	for i, p := range t.params {
		if i > 0 {
			call += ", "
		}
		call += "args." + p
	}
	list := ""
	for i, p := range t.params {
		if i > 0 {
			list += ", "
		}
		list += p
	}
	return fmt.Sprintf("var result; (function (args) { (async function (%s) { %s\n})(%s).then(function (v) { result = JSON.stringify(v); }); })(JSON.parse(argumentsText)); undefined", list, t.body, call)
}

// plain is the script of the rows without a tool model: arguments are part of
// the text, nothing is awaited.
func plain(t tool) string {
	bind := ""
	for _, p := range t.params {
		bind += fmt.Sprintf("const %s = args.%s; ", p, p)
	}
	return fmt.Sprintf("(function () { const args = %s; %s %s\n})();", t.arguments, bind, t.body)
}
