package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
)

// phase is one of the parts that a call's cost is made of, in the order in which they happen.
type phase struct {
	name, what string
	took       sample
}

// phases are measured apart and in turns.
type phases struct {
	start, compile, load, boot, image, instance, call, reset sample
}

func (p *phases) rows() []phase {
	return []phase{
		{"process start", "glovebox version, until it has ended; each process", p.start},
		{"compile, no cache", "the guest linked, metered, compiled and written to the cache; once for each version", p.compile},
		{"compile, cached", "the guest's machine code read from the cache; each process", p.load},
		{"boot", "QuickJS started and furnished: the base image; each process", p.boot},
		{"image", "the tool's code compiled in a copy of the base image; each tool, at its first call", p.image},
		{"instance", "a guest with the memory of the image; when no idle one is there", p.instance},
		{"call", "the json tool in an instance that is ready, from arguments to result", p.call},
		{"reset", "the instance made the image again; after the answer is out, beside other calls", p.reset},
	}
}

// measurePhases measures what a call is made of, apart. What happens in a process once is
// measured in processes of its own: this command, which opens the engine twice and says
// how long each took. The second finds the guest compiled, and only boots it.
func measurePhases(o options, r *report) error {
	tools, err := loadTools(filepath.Join(o.root, "bench", "tools"))
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "glovebox-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var p phases
	small := tools[1]
	calling, err := openTold()
	if err != nil {
		return err
	}
	defer calling.Close()
	making, err := openTold()
	if err != nil {
		return err
	}
	defer making.Close()
	image, err := calling.Image(context.Background(), jsengine.Program{File: small.name + ".js", Body: small.body, Names: small.params})
	if err != nil {
		return err
	}
	<-calling.said // its instance, which is thrown away
	for round := range rounds {
		if round < o.cold {
			compile, _, err := opened(filepath.Join(dir, fmt.Sprint("cache", round)))
			if err != nil {
				return err
			}
			p.compile = append(p.compile, compile)
		}
		for range max(1, o.fresh/1000) {
			if o.glovebox != "" {
				began := time.Now()
				if out, err := exec.Command(o.glovebox, "version").CombinedOutput(); err != nil {
					return fmt.Errorf("glovebox version: %w: %s", err, out)
				}
				p.start = append(p.start, time.Since(began))
			}
			load, boot, err := opened(filepath.Join(dir, "cache0"))
			if err != nil {
				return err
			}
			p.load, p.boot = append(p.load, load), append(p.boot, boot)
		}
		if err := making.measureImages(small, max(2, o.fresh/500), &p); err != nil {
			return err
		}
		if err := making.measureInstances(max(2, o.fresh/250), &p); err != nil {
			return err
		}
		if err := calling.measureCalls(image, small.arguments, o.fresh/rounds, &p); err != nil {
			return err
		}
	}
	s := section{
		Title: "What a call is made of, us", Columns: []string{"phase", "p50", "p95", "p99", "count", "what it is, and when"}, Bars: []int{1}, Logarithmic: true,
		Note: "in turns, in 20 rounds; a percentile for which there are too few is left out",
	}
	for _, row := range p.rows() {
		if len(row.took) > 0 {
			s.Rows = append(s.Rows, []string{row.name, micros(row.took.percentile(50)), row.took.tail(95, micros), row.took.tail(99, micros), fmt.Sprint(len(row.took)), row.what})
		}
	}
	r.Sections = append(r.Sections, s)
	return nil
}

// opened starts this command to open the engine with a cache, and returns how long the
// compiled guest took, and its boot.
func opened(cache string) (compile, boot time.Duration, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, 0, err
	}
	out, err := exec.Command(self, "-open", cache).CombinedOutput()
	if err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, out)
	}
	if _, err := fmt.Sscan(string(out), &compile, &boot); err != nil {
		return 0, 0, fmt.Errorf("%w: %s", err, out)
	}
	return compile, boot, nil
}

// printOpen is the other side of opened: nanoseconds.
func printOpen(cache string) error {
	var took [2]time.Duration
	for n := range took {
		began := time.Now()
		engine, err := jsengine.Open(context.Background(), jsengine.Config{CacheDir: cache})
		if err != nil {
			return err
		}
		took[n] = time.Since(began)
		engine.Close()
	}
	fmt.Println(int64(max(0, took[0]-took[1])), int64(took[1]))
	return nil
}

// told is an engine that keeps one idle instance, and says what it does to instances.
type told struct {
	*jsengine.Engine
	said chan preparation
}

type preparation struct {
	what jsengine.Preparation
	took time.Duration
}

func openTold() (told, error) {
	t := told{said: make(chan preparation, 1000)}
	config := engineConfig(1)
	config.Prepared = func(what jsengine.Preparation, took time.Duration) { t.said <- preparation{what, took} }
	var err error
	t.Engine, err = jsengine.Open(context.Background(), config)
	return t, err
}

// measureCalls calls the tool n times, each in an instance that is ready, and waits for the
// reset of it.
func (t told) measureCalls(image *jsengine.Image, arguments string, n int, p *phases) error {
	for range n {
		began := time.Now()
		out := image.Call(context.Background(), jsengine.Call{Arguments: []byte(arguments)})
		took := time.Since(began)
		if out.Failure != nil {
			return out.Failure
		}
		did := <-t.said
		if did.what == jsengine.Made { // the first call of all
			<-t.said
			continue
		}
		p.call, p.reset = append(p.call, took), append(p.reset, did.took)
	}
	return nil
}

// measureImages builds n images, each of another text.
func (t told) measureImages(of tool, n int, p *phases) error {
	for range n {
		body := fmt.Sprintf("%s\n// %d", of.body, len(p.image))
		began := time.Now()
		if _, err := t.Image(context.Background(), jsengine.Program{File: of.name + ".js", Body: body, Names: of.params}); err != nil {
			return err
		}
		p.image = append(p.image, time.Since(began))
	}
	return nil
}

// measureInstances has n calls in flight at once: most get a new instance each.
func (t told) measureInstances(n int, p *phases) error {
	image, err := hostImage(t.Engine, "safety.fs.workspace(); return null;")
	if err != nil {
		return err
	}
	for len(t.said) > 0 { // the instances in which images were built
		<-t.said
	}
	arrived, release := make(chan struct{}), make(chan struct{})
	host := callerFunc(func(string, []byte, []byte) ([]byte, []byte, error) {
		arrived <- struct{}{}
		<-release
		return []byte(`"/"`), nil, nil
	})
	ended := make(chan error, n)
	var failed error
	started := 0
	for ; started < n && failed == nil; started++ {
		go func() {
			if out := image.Call(context.Background(), jsengine.Call{Caller: host}); out.Failure != nil {
				ended <- out.Failure
				return
			}
			ended <- nil
		}()
		select {
		case <-arrived:
		case failed = <-ended:
			failed = errors.Join(errors.New("a call did not wait"), failed)
			started--
		}
	}
	for len(t.said) > 0 {
		if did := <-t.said; did.what == jsengine.Made {
			p.instance = append(p.instance, did.took)
		}
	}
	close(release)
	for range started {
		failed = errors.Join(failed, <-ended)
	}
	return failed
}
