package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
)

// measureEcho measures how 1 MiB gets into the box and out of it: a tool that returns its
// argument, against JSON.parse and JSON.stringify of the same text inside. The same in the
// served path, with sanitiser and record, is BenchmarkLarge of mcpserver.
func measureEcho(engine *jsengine.Engine, r *report) error {
	echo, err := engine.Image(context.Background(), jsengine.Program{File: "echo.js", Body: "return x", Names: []string{"x"}})
	if err != nil {
		return err
	}
	inside, err := engine.Image(context.Background(), jsengine.Program{
		File: "inside.js", Body: "for (let n = 0; n < times; n++) JSON.stringify(JSON.parse(x))", Names: []string{"x", "times"},
	})
	if err != nil {
		return err
	}
	var rows []map[string]any
	for n := range 1 << 20 / 100 {
		rows = append(rows, map[string]any{"id": n, "name": fmt.Sprintf("Customer %05d", n), "city": "Berlin", "amount": float64(n) / 4, "updated": "2026-01-02 10:00:00"})
	}
	s := section{Title: "Arguments and result of 1 MiB, ms", Columns: []string{"what", "echo", "parse and stringify inside", "runs"}}
	for _, c := range []struct {
		name  string
		value any
	}{{"prose", strings.Repeat("The deployment went well; see the notes below. ", 1<<20/47)}, {"rows", rows}} {
		text, err := json.Marshal(c.value)
		if err != nil {
			return err
		}
		quoted, err := json.Marshal(string(text))
		if err != nil {
			return err
		}
		call := func(image *jsengine.Image, arguments string) (time.Duration, error) {
			start := time.Now()
			out := image.Call(context.Background(), jsengine.Call{Arguments: []byte(arguments), Limits: wide})
			if out.Failure != nil {
				return 0, out.Failure
			}
			return time.Since(start), nil
		}
		// What four times takes more than none is without the way in of the text itself.
		const times = 4
		var whole, none, four sample
		for range 11 {
			for _, m := range []struct {
				to        *sample
				image     *jsengine.Image
				arguments string
			}{
				{&whole, echo, `{"x":` + string(text) + `}`},
				{&none, inside, fmt.Sprintf(`{"x":%s,"times":0}`, quoted)},
				{&four, inside, fmt.Sprintf(`{"x":%s,"times":%d}`, quoted, times)},
			} {
				took, err := call(m.image, m.arguments)
				if err != nil {
					return err
				}
				*m.to = append(*m.to, took)
			}
		}
		alone := (four.percentile(50) - none.percentile(50)) / times
		s.Rows = append(s.Rows, []string{c.name, millis(whole.percentile(50)), millis(alone), fmt.Sprint(len(whole))})
		r.bar("echo of 1 MiB against parse and stringify inside, "+c.name, ratio(whole.percentile(50), alone), 1.5, "x")
	}
	r.Sections = append(r.Sections, s)
	return nil
}
