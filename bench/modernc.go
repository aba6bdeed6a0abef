package main

import (
	"fmt"
	"time"

	"modernc.org/quickjs"
)

// moderncPeer is QuickJS translated to Go.
type moderncPeer struct{}

func (moderncPeer) Name() string { return "modernc.org/quickjs" }
func (moderncPeer) Close() error { return nil }

func (moderncPeer) Fresh(t tool, n int) (sample, error) {
	source := plain(t)
	return timed(n, func() error {
		vm, err := quickjs.NewVM()
		if err != nil {
			return err
		}
		defer vm.Close()
		_, err = vm.Eval(source, quickjs.EvalGlobal)
		return err
	})
}

func (moderncPeer) Program(source string) (time.Duration, string, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return 0, "", err
	}
	defer vm.Close()
	start := time.Now()
	v, err := vm.Eval(source, quickjs.EvalGlobal)
	took := time.Since(start)
	return took, fmt.Sprint(v), err
}
