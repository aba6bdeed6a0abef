// Command qjs measures github.com/fastschema/qjs for the benchmark beside it.
// It is a module of its own because that library breaks on the wazero version
// that Glovebox uses.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/fastschema/qjs"
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
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			out.Encode(answer{Error: err.Error()})
			continue
		}
		out.Encode(measure(r))
	}
}

func measure(r request) answer {
	var a answer
	for range r.N {
		took, value, err := once(r)
		if err != nil {
			return answer{Error: err.Error()}
		}
		a.Nanoseconds, a.Value = append(a.Nanoseconds, took.Nanoseconds()), value
	}
	return a
}

// once runs the source in a new runtime. A fresh call is timed with the making
// of the runtime, "new" is that alone, a program is timed without it.
func once(r request) (time.Duration, string, error) {
	start := time.Now()
	rt, err := qjs.New()
	if err != nil {
		return 0, "", err
	}
	defer rt.Close()
	switch r.Kind {
	case "new":
		return time.Since(start), "", nil
	case "program":
		start = time.Now()
	}
	v, err := rt.Eval("bench.js", qjs.Code(r.Source))
	took := time.Since(start)
	if err != nil {
		return 0, "", err
	}
	defer v.Free()
	return took, fmt.Sprint(v.String()), nil
}
