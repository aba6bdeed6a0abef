package jsengine

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/glovebox-run/glovebox/guest"
)

// machine is the compiled guest, from which instances are made.
type machine struct {
	runtime   wazero.Runtime
	code      wazero.CompiledModule
	functions [fnCount]uint64 // by which guest.Dispatch knows them
}

// The machine lives as long as the process and every Engine shares it: wazero
// v1.12.0 mixes up function types when one process compiles a module for two
// runtimes. It is the only state of this package, and it never changes once set.
var (
	theMachine *machine
	machineMu  sync.Mutex
)

func sharedMachine(ctx context.Context, cacheDir string) (*machine, error) {
	machineMu.Lock()
	defer machineMu.Unlock()
	if theMachine == nil {
		m, err := newMachine(ctx, cacheDir)
		if err != nil {
			return nil, err
		}
		theMachine = m
	}
	return theMachine, nil
}

func newMachine(ctx context.Context, cacheDir string) (*machine, error) {
	wasm, err := linkedModule(cacheDir)
	if err != nil {
		return nil, err
	}
	// No WithCloseOnContextDone: its checks make loops 2.6 to 8 times slower. The
	// guest's own meter calls refuel often enough.
	config := wazero.NewRuntimeConfigCompiler()
	if !compilerSupported() {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	if cacheDir != "" {
		// A folder that cannot be used costs compile time and nothing else.
		if cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(cacheDir, "machine-code")); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	m := &machine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	for f, name := range fnNames {
		m.functions[f] = uint64(guest.DispatchIndex(name))
	}
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	_, err = m.runtime.NewHostModuleBuilder(guest.HostModule).
		NewFunctionBuilder().WithGoModuleFunction(hostFunction((*instance).hostCall), []api.ValueType{i32, i64, i32, i32}, []api.ValueType{i64}).Export("call").
		NewFunctionBuilder().WithGoModuleFunction(hostFunction((*instance).refuel), []api.ValueType{i64}, []api.ValueType{i64}).Export("refuel").
		NewFunctionBuilder().WithGoModuleFunction(hostFunction((*instance).clock), []api.ValueType{i32}, []api.ValueType{i64}).Export("clock").
		Instantiate(ctx)
	if err != nil {
		return nil, fmt.Errorf("jsengine: host module: %w", err)
	}
	m.code, err = m.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), wasm)
	if err != nil {
		return nil, fmt.Errorf("jsengine: compile the guest: %w", err)
	}
	return m, nil
}

// compilerSupported says whether wazero has a compiler for this machine; where
// it has none the engine works, some fifty times slower.
func compilerSupported() bool {
	switch runtime.GOOS {
	case "linux", "darwin", "freebsd", "netbsd", "dragonfly", "windows":
		return runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64"
	}
	return false
}

// hostFunction adapts a method: parameters and result share one stack.
func hostFunction(method func(*instance, []uint64) uint64) api.GoModuleFunc {
	return func(ctx context.Context, _ api.Module, stack []uint64) {
		stack[0] = method(ctx.Value(instanceKey{}).(*instance), stack)
	}
}
