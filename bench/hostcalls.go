package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/jsengine"
)

// measureHostCalls measures what leaving the box costs.
func measureHostCalls(o options, r *report) error {
	engine, err := jsengine.Open(context.Background(), engineConfig(0))
	if err != nil {
		return err
	}
	defer engine.Close()
	s := section{Title: "Host calls, us", Columns: []string{"call", "p50", "p99", "calls"}}
	kib := bytes.Repeat([]byte("x"), 1024)
	for _, c := range []struct {
		name, body string
		reply      []byte
		most       float64
	}{
		{"empty", "for (let i = 0; i < 20000; i++) safety.fs.readText(''); return 0;", nil, 1.5},
		{"1 KiB each way", "const t = 'x'.repeat(1024); for (let i = 0; i < 20000; i++) safety.fs.readText(t); return 0;", kib, 4},
	} {
		times, err := between(engine, c.body, c.reply)
		if err != nil {
			return err
		}
		s.Rows = append(s.Rows, []string{c.name, fmt.Sprintf("%.2f", float64(times.percentile(50).Nanoseconds())/1000), micros(times.percentile(99)), fmt.Sprint(len(times))})
		r.bar("host call p50, "+c.name, float64(times.percentile(50).Nanoseconds())/1000, c.most, " us")
	}
	r.Sections = append(r.Sections, s)
	if err := measureFetches(engine, r); err != nil {
		return err
	}
	if err := measureReadText(engine, r); err != nil {
		return err
	}
	return measureEcho(engine, r)
}

// between returns the times from one host call's arrival to the next's: the way
// out, the way back and the loop around it. The least loop is in it, so it is a
// little too much.
func between(engine *jsengine.Engine, body string, reply []byte) (sample, error) {
	image, err := hostImage(engine, body)
	if err != nil {
		return nil, err
	}
	var times sample
	var last time.Time
	caller := callerFunc(func(string, []byte, []byte) ([]byte, []byte, error) {
		now := time.Now()
		if !last.IsZero() {
			times = append(times, now.Sub(last))
		}
		last = now
		return reply, nil, nil
	})
	limits := wide
	limits.HostCalls, limits.HostBytes = 1<<30, 1<<40
	out := image.Call(context.Background(), jsengine.Call{Caller: caller, Limits: limits})
	if out.Failure != nil {
		return nil, out.Failure
	}
	return times, nil
}

// granted runs a body with real grants out of a world.
func granted(engine *jsengine.Engine, p catalog.Posture, w host.World, body, arguments string, names ...string) (time.Duration, string, error) {
	grants, err := host.Mint(p, w)
	if err != nil {
		return 0, "", err
	}
	defer grants.Close()
	image, err := engine.Image(context.Background(), jsengine.Program{File: "bench.js", Body: body, Names: names, Operations: grants.Table().Operations()})
	if err != nil {
		return 0, "", err
	}
	start := time.Now()
	out := image.Call(context.Background(), jsengine.Call{Arguments: []byte(arguments), Caller: grants.Table(), Limits: wide})
	took := time.Since(start)
	if out.Failure != nil {
		return 0, "", errors.Join(out.Failure, out.Failure.Cause)
	}
	return took, string(out.Result), nil
}

// measureFetches starts 64 requests at once to a server that takes 10 ms each.
func measureFetches(engine *jsengine.Engine, r *report) error {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(10 * time.Millisecond)
		fmt.Fprint(w, "ok")
	}))
	defer server.Close()
	world := host.World{
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.215.14")}, nil
		},
		Dial: func(ctx context.Context, network string, _ netip.AddrPort) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, server.Listener.Addr().String())
		},
	}
	posture := catalog.Posture{Network: catalog.NetworkStrict}
	body := "const all = []; for (let i = 0; i < 64; i++) all.push(fetch('http://bench.example/' + i)); let n = 0; for (const p of all) if ((await p).ok) n++; return n;"
	var times sample
	for range 10 {
		took, n, err := granted(engine, posture, world, body, "{}")
		if err == nil && n != "64" {
			err = fmt.Errorf("%s of 64 fetches succeeded", n)
		}
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	r.Sections = append(r.Sections, section{
		Title: "64 fetches at once to a server that takes 10 ms, ms", Columns: []string{"p50", "p99", "runs"},
		Rows: [][]string{{millis(times.percentile(50)), millis(times.percentile(99)), fmt.Sprint(len(times))}},
	})
	r.bar("64 fetches to a 10 ms server, p50", times.percentile(50).Seconds()*1000, 25, " ms")
	return nil
}

// measureReadText reads a file of 1 MiB in the box and without one.
func measureReadText(engine *jsengine.Engine, r *report) error {
	dir, err := os.MkdirTemp("", "glovebox-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "file.txt")
	if err := os.WriteFile(path, bytes.Repeat([]byte("0123456789abcde\n"), 1<<16), 0o600); err != nil {
		return err
	}
	space, err := files.OpenWorkspace(dir, files.Quota{})
	if err != nil {
		return err
	}
	defer space.Close()
	// Eight reads in one call against eight plain ones: what one read costs.
	const reads = 8
	body := fmt.Sprintf("let n = 0; for (let i = 0; i < %d; i++) n += safety.fs.readText('file.txt').length; return n;", reads)
	var inside, plain sample
	for range 20 {
		took, _, err := granted(engine, catalog.Posture{FileRead: true}, host.World{Workspace: space}, body, "{}")
		if err != nil {
			return err
		}
		inside = append(inside, took/reads)
		start := time.Now()
		for range reads {
			if _, err := os.ReadFile(path); err != nil {
				return err
			}
		}
		plain = append(plain, time.Since(start)/reads)
	}
	r.Sections = append(r.Sections, section{
		Title: "Reading a file of 1 MiB, us", Columns: []string{"", "p50", "p99", "runs"}, Rows: [][]string{
			{"safety.fs.readText", micros(inside.percentile(50)), micros(inside.percentile(99)), fmt.Sprint(len(inside))},
			{"os.ReadFile", micros(plain.percentile(50)), micros(plain.percentile(99)), fmt.Sprint(len(plain))},
		},
	})
	r.bar("readText of 1 MiB against a plain read", ratio(inside.percentile(50), plain.percentile(50)), 1.5, "x")
	return nil
}
