package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dop251/goja"
)

// programNames are the CPU programs in the order of the table.
var programNames = []string{"fib", "loop", "local-loop", "string", "json", "regex", "sort", "objects"}

const (
	nameQJS       = "fastschema/qjs"
	nameGoja      = "goja, same semantics"
	nameGojaPlain = "goja, New + RunString"
	nameWasmtime  = "wasmtime, same guest"
)

// configurations is what a row of the table was: what is fresh for each call, and how.
var configurations = map[string]string{
	"glovebox":            "fresh instance; fuel, statements, memory and time limited; JSON in and out",
	nameGoja:              "New, console, atob and btoa; async body; JSON in and out; no limits",
	nameGojaPlain:         "New and RunString; arguments are part of the source; no limits",
	"modernc.org/quickjs": "NewVM; arguments are part of the source; no limits",
	nameQJS:               "New; WebAssembly; arguments are part of the source; no limits set",
	nameWasmtime:          "new store and instance of the guest that runs here, the memory of a booted one copied in; arguments are part of the source; fuel and statements counted, no limits set",
	"node:vm":             "createContext; no isolation, no limits",
	"quickjs-emscripten":  "newContext in one WebAssembly memory for all calls; no limits set",
	"isolated-vm":         "new Isolate; memory limited",
}

func openPeers(o options, r *report) ([]peer, error) {
	own, err := openGlovebox()
	if err != nil {
		return nil, err
	}
	peers := []peer{own, &gojaPeer{compiled: map[string]*goja.Program{}}, gojaPlainPeer{}, moderncPeer{}}
	add := func(name string, command ...string) {
		if err == nil {
			var p *childPeer
			p, err = startChild(name, command...)
			peers = append(peers, p)
		}
	}
	for _, p := range []struct{ name, command string }{{nameQJS, o.qjs}, {nameWasmtime, o.wasmtime}} {
		if p.command == "" {
			r.LeftOut = append(r.LeftOut, p.name+": its command was not given, or could not be built")
			continue
		}
		add(p.name, p.command)
		r.Machine.built(p.command)
	}
	if o.node == "" {
		r.LeftOut = append(r.LeftOut, "node:vm, quickjs-emscripten, isolated-vm: npm is not installed, or could not install them")
	} else {
		if e := r.Machine.installed(o); e != nil {
			return peers, e
		}
		for _, name := range []string{"node:vm", "quickjs-emscripten", "isolated-vm"} {
			add(name, o.node, "--no-node-snapshot", filepath.Join(o.root, "bench", "node", "peer.mjs"))
		}
	}
	return peers, err
}

// measurePeers runs the same tools and programs in every engine.
func measurePeers(o options, r *report) (err error) {
	peers, err := openPeers(o, r)
	if err != nil {
		return err
	}
	defer func() {
		for _, p := range peers {
			if e := p.Close(); err == nil {
				err = e
			}
		}
	}()
	if err := measureFresh(o, r, peers); err != nil {
		return err
	}
	if err := measurePrograms(o, r, peers); err != nil {
		return err
	}
	return measureNew(o, r, peers)
}

// rounds is into how many parts the calls of one peer are cut, so that a slow
// second of the machine hits all peers alike.
const rounds = 20

func measureFresh(o options, r *report, peers []peer) error {
	tools, err := loadTools(filepath.Join(o.root, "bench", "tools"))
	if err != nil {
		return err
	}
	for _, t := range tools {
		samples := map[string]sample{}
		for round := range rounds {
			for _, p := range peers {
				n := o.fresh / rounds
				if slow(samples[p.Name()]) {
					n = max(1, n/20)
				}
				s, err := p.Fresh(t, n)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", p.Name(), t.name, err)
				}
				if round > 0 { // the first round warms up
					samples[p.Name()] = append(samples[p.Name()], s...)
				}
			}
		}
		s := section{Title: fmt.Sprintf("A call of the %s tool in a fresh sandbox, us", t.name), Columns: []string{"engine", "p50", "p95", "p99", "calls", "p50 against us", "95 % interval", "configuration"},
			Note: "interleaved in 20 rounds, of which the first warms up; the interval is a seeded bootstrap of the ratio of medians", Bars: []int{1, 2}, Logarithmic: true}
		own := samples["glovebox"]
		for _, p := range peers {
			got := samples[p.Name()]
			low, high := interval(got, own)
			s.Rows = append(s.Rows, []string{
				p.Name(), micros(got.percentile(50)), micros(got.percentile(95)), micros(got.percentile(99)), fmt.Sprint(len(got)),
				fmt.Sprintf("%.2fx", ratio(got.percentile(50), own.percentile(50))), fmt.Sprintf("%.2f to %.2f", low, high), configurations[p.Name()],
			})
		}
		r.Sections = append(r.Sections, s)
		theirs := samples[nameGoja]
		r.bar("fresh call p50 against goja, "+t.name, ratio(own.percentile(50), theirs.percentile(50)), 0.8, "x")
		r.bar("fresh call p99 against goja, "+t.name, ratio(own.percentile(99), theirs.percentile(99)), 0.5, "x")
		r.bar("fresh call p50 against "+nameGojaPlain+", "+t.name, ratio(own.percentile(50), samples[nameGojaPlain].percentile(50)), 1, "x")
	}
	return nil
}

// slow reports a peer whose calls take about a hundred times ours: fewer of them
// say as much.
func slow(s sample) bool { return slices.Clone(s).percentile(50) > 500*time.Microsecond }

func measurePrograms(o options, r *report, peers []peer) error {
	peers = slices.DeleteFunc(slices.Clone(peers), func(p peer) bool { return p == peer(gojaPlainPeer{}) })
	best := map[string]map[string]time.Duration{}
	for range o.programs {
		for _, program := range programNames {
			source, err := os.ReadFile(filepath.Join(o.root, "bench", "programs", program+".js"))
			if err != nil {
				return err
			}
			values := map[string][]string{}
			for _, p := range peers {
				took, value, err := p.Program(string(source))
				if err != nil {
					return fmt.Errorf("%s: %s: %w", p.Name(), program, err)
				}
				values[value] = append(values[value], p.Name())
				if best[p.Name()] == nil {
					best[p.Name()] = map[string]time.Duration{}
				}
				if old, ok := best[p.Name()][program]; !ok || took < old {
					best[p.Name()][program] = took
				}
			}
			if len(values) != 1 {
				return fmt.Errorf("%s: the engines do not agree: %v", program, values)
			}
		}
	}
	s := section{
		Title: "CPU programs, ms, the best of all rounds", Columns: append([]string{"engine"}, append(slices.Clone(programNames), "geomean against us")...),
		Note: "node's rows but quickjs-emscripten have a just-in-time compiler",
	}
	for _, p := range peers {
		row := []string{p.Name()}
		var ratios []float64
		for _, program := range programNames {
			row = append(row, millis(best[p.Name()][program]))
			ratios = append(ratios, ratio(best[p.Name()][program], best["glovebox"][program]))
		}
		s.Rows = append(s.Rows, append(row, fmt.Sprintf("%.2fx", geomean(ratios))))
	}
	r.Sections = append(r.Sections, s)
	for _, name := range []string{nameQJS, nameGoja} {
		if best[name] == nil {
			continue
		}
		var ratios []float64
		for _, program := range programNames {
			ratios = append(ratios, ratio(best["glovebox"][program], best[name][program]))
		}
		r.bar("CPU programs against "+name+", geometric mean", geomean(ratios), 1, "x")
		if name == nameQJS {
			r.bar("CPU programs against "+name+", worst ("+programNames[slices.Index(ratios, slices.Max(ratios))]+")", slices.Max(ratios), 1.3, "x")
		}
	}
	return nil
}

// measureNew compares the making of one instance with qjs's New.
func measureNew(o options, r *report, peers []peer) error {
	own, err := newInstances(200)
	if err != nil {
		return err
	}
	s := section{Title: "A new instance, us", Columns: []string{"engine", "p50", "p99", "made"}, Rows: [][]string{
		{"glovebox, from the call to its first host call", micros(own.percentile(50)), micros(own.percentile(99)), fmt.Sprint(len(own))},
	}}
	for _, p := range peers {
		child, ok := p.(*childPeer)
		if !ok || !strings.HasPrefix(p.Name(), nameQJS) {
			continue
		}
		a, err := child.ask(childRequest{Kind: "new", N: max(20, o.fresh/50)})
		if err != nil {
			return err
		}
		theirs := make(sample, len(a.Nanoseconds))
		for i, ns := range a.Nanoseconds {
			theirs[i] = time.Duration(ns)
		}
		s.Rows = append(s.Rows, []string{p.Name(), micros(theirs.percentile(50)), micros(theirs.percentile(99)), fmt.Sprint(len(theirs))})
		r.bar("new instance against "+nameQJS, ratio(own.percentile(50), theirs.percentile(50)), 0.12, "x")
	}
	r.Sections = append(r.Sections, s)
	return nil
}
