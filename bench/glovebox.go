package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/glovebox-run/glovebox/jsengine"
)

// gloveboxPeer is us: a fresh instance for every call, JSON in and out.
type gloveboxPeer struct {
	engine *jsengine.Engine
	images map[string]*jsengine.Image
	eval   *jsengine.Image
	buffer []byte
}

// wide are the limits of the CPU programs, which are no tools.
var wide = jsengine.Limits{Statements: 1 << 40, Fuel: 1 << 50, Time: time.Hour}

func engineConfig(idle int) jsengine.Config {
	dir, err := os.UserCacheDir()
	if err != nil {
		return jsengine.Config{Idle: idle}
	}
	return jsengine.Config{CacheDir: filepath.Join(dir, "glovebox-bench"), Idle: idle}
}

func openGlovebox() (*gloveboxPeer, error) {
	engine, err := jsengine.Open(context.Background(), engineConfig(0))
	if err != nil {
		return nil, err
	}
	eval, err := engine.Image(context.Background(), jsengine.Program{File: "eval.js", Body: "return (0, eval)(source);", Names: []string{"source"}})
	return &gloveboxPeer{engine: engine, images: map[string]*jsengine.Image{}, eval: eval}, err
}

func (p *gloveboxPeer) Name() string { return "glovebox" }

func (p *gloveboxPeer) Close() error {
	p.engine.Close()
	return nil
}

func (p *gloveboxPeer) image(t tool) (*jsengine.Image, error) {
	if image := p.images[t.name]; image != nil {
		return image, nil
	}
	image, err := p.engine.Image(context.Background(), jsengine.Program{File: t.name + ".js", Body: t.body, Names: t.params})
	p.images[t.name] = image
	return image, err
}

func (p *gloveboxPeer) Fresh(t tool, n int) (sample, error) {
	image, err := p.image(t)
	if err != nil {
		return nil, err
	}
	arguments := []byte(t.arguments)
	return timed(n, func() error {
		out := image.Call(context.Background(), jsengine.Call{Arguments: arguments, Buffer: p.buffer})
		if out.Failure != nil {
			return out.Failure
		}
		if out.Result == nil {
			return errors.New("glovebox: no result")
		}
		p.buffer = out.Result
		return nil
	})
}

func (p *gloveboxPeer) Program(source string) (time.Duration, string, error) {
	arguments, err := json.Marshal(map[string]string{"source": source})
	if err != nil {
		return 0, "", err
	}
	start := time.Now()
	out := p.eval.Call(context.Background(), jsengine.Call{Arguments: arguments, Limits: wide})
	took := time.Since(start)
	if out.Failure != nil {
		return 0, "", out.Failure
	}
	return took, string(out.Result), nil
}
