package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/dop251/goja"
)

// gojaPeer runs a tool with the same semantics as ours: console, atob and btoa
// in the realm, the body as an async function, JSON in and out.
type gojaPeer struct{ compiled map[string]*goja.Program }

func (p *gojaPeer) Name() string { return "goja, same semantics" }
func (p *gojaPeer) Close() error { return nil }

func (p *gojaPeer) Fresh(t tool, n int) (sample, error) {
	program := p.compiled[t.name]
	if program == nil {
		var err error
		if program, err = goja.Compile(t.name+".js", wrapped(t), false); err != nil {
			return nil, err
		}
		p.compiled[t.name] = program
	}
	return timed(n, func() error {
		vm := gojaRealm()
		if err := vm.Set("argumentsText", t.arguments); err != nil {
			return err
		}
		if _, err := vm.RunProgram(program); err != nil {
			return err
		}
		if r := vm.Get("result"); r == nil || goja.IsUndefined(r) {
			return errors.New("goja: no result")
		}
		return nil
	})
}

func (p *gojaPeer) Program(source string) (time.Duration, string, error) {
	vm := gojaRealm()
	start := time.Now()
	v, err := vm.RunString(source)
	took := time.Since(start)
	if err != nil {
		return 0, "", err
	}
	return took, v.String(), nil
}

func gojaRealm() *goja.Runtime {
	vm := goja.New()
	console := vm.NewObject()
	console.Set("log", func(goja.FunctionCall) goja.Value { return goja.Undefined() })
	vm.Set("console", console)
	vm.Set("btoa", func(call goja.FunctionCall) goja.Value {
		return vm.ToValue(base64.StdEncoding.EncodeToString([]byte(call.Argument(0).String())))
	})
	vm.Set("atob", func(call goja.FunctionCall) goja.Value {
		text, err := base64.StdEncoding.DecodeString(call.Argument(0).String())
		if err != nil {
			panic(vm.NewTypeError(err.Error()))
		}
		return vm.ToValue(string(text))
	})
	return vm
}

// gojaPlainPeer is the least that goja can do: New and RunString.
type gojaPlainPeer struct{}

func (gojaPlainPeer) Name() string { return nameGojaPlain }
func (gojaPlainPeer) Close() error { return nil }

func (gojaPlainPeer) Fresh(t tool, n int) (sample, error) {
	source := plain(t)
	return timed(n, func() error {
		v, err := goja.New().RunString(source)
		if err == nil && goja.IsUndefined(v) {
			err = errors.New("goja: no result")
		}
		return err
	})
}

func (gojaPlainPeer) Program(string) (time.Duration, string, error) {
	return 0, "", fmt.Errorf("the programs run in %s", (*gojaPeer)(nil).Name())
}
