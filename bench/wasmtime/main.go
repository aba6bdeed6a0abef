// Command wasmtime measures the guest of Glovebox in wasmtime for the benchmark beside it:
// the same module, with its meters, on another engine. It is a module of its own because
// wasmtime is C: it needs a C compiler and a large download.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

type request struct {
	Kind   string `json:"kind"`
	Source string `json:"source"`
	N      int    `json:"n"`
}

type answer struct {
	Nanoseconds []int64 `json:"ns"`
	Value       string  `json:"value"`
	Error       string  `json:"error,omitempty"`
}

func main() {
	engine, err := newMachine()
	if err != nil {
		fmt.Fprintln(os.Stderr, "wasmtime:", err)
		os.Exit(1)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			out.Encode(answer{Error: err.Error()})
			continue
		}
		out.Encode(engine.measure(r))
	}
}

func (m *machine) measure(r request) answer {
	var a answer
	for range r.N {
		took, value, err := m.once(r)
		if err != nil {
			return answer{Error: err.Error()}
		}
		a.Nanoseconds, a.Value = append(a.Nanoseconds, took.Nanoseconds()), value
	}
	return a
}

// once runs the source in a new instance. A fresh call is timed with the making of the
// instance, "new" is that alone, a program is timed without it.
func (m *machine) once(r request) (time.Duration, string, error) {
	start := time.Now()
	i, err := m.newInstance()
	if err != nil {
		return 0, "", err
	}
	defer i.store.Close()
	if r.Kind == "new" {
		i.restore(m)
		return time.Since(start), "", i.err
	}
	i.restore(m)
	if r.Kind == "program" {
		start = time.Now()
	}
	value := i.eval(r.Source)
	return time.Since(start), value, i.err
}
