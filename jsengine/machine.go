package jsengine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/glovebox-run/glovebox/guest"
)

// machine is the compiled guest, from which instances are made.
type machine struct {
	runtime   wazero.Runtime
	cache     wazero.CompilationCache // nil when there is none
	code      wazero.CompiledModule
	functions [fnCount]uint64 // by which guest.Dispatch knows them
	start     *start          // of instances; nil where wazero makes it

	codeDir     string                             // where machine code is kept; may be empty
	interpreter func() (*guest.Interpreter, error) // read when it is first needed
	compiled    atomic.Int64                       // images whose loops are compiled
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
		m, err := openMachine(ctx, cacheDir)
		if err != nil {
			return nil, err
		}
		if err := m.learn(); err != nil {
			return nil, err
		}
		theMachine = m
	}
	return theMachine, nil
}

// newMachine compiles a module, or takes its machine code from the folder; an
// empty name means no folder.
func newMachine(ctx context.Context, codeDir string, module []byte) (*machine, error) {
	// No WithCloseOnContextDone: its checks make loops 2.6 to 8 times slower. The
	// guest's own meter calls refuel often enough.
	config := wazero.NewRuntimeConfigCompiler()
	if !compilerSupported() {
		config = wazero.NewRuntimeConfigInterpreter()
	}
	m := &machine{codeDir: codeDir, interpreter: sync.OnceValues(readInterpreter)}
	if codeDir != "" {
		var err error
		if m.cache, err = wazero.NewCompilationCacheWithDir(codeDir); err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(m.cache)
	}
	m.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	for f, name := range fnNames {
		m.functions[f] = uint64(guest.DispatchIndex(name))
	}
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	_, err := m.runtime.NewHostModuleBuilder(guest.HostModule).
		NewFunctionBuilder().WithGoModuleFunction(hostFunction((*instance).hostCall), []api.ValueType{i32, i64, i32, i32}, []api.ValueType{i64}).Export("call").
		NewFunctionBuilder().WithGoModuleFunction(hostFunction((*instance).refuel), []api.ValueType{i64}, []api.ValueType{i64}).Export("refuel").
		NewFunctionBuilder().WithGoModuleFunction(hostFunction((*instance).clock), []api.ValueType{i32}, []api.ValueType{i64}).Export("clock").
		Instantiate(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("jsengine: host module: %w", err), m.close(ctx))
	}
	m.code, err = m.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0)), module)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("jsengine: compile the guest: %w", err), m.close(ctx))
	}
	return m, nil
}

// readInterpreter links the guest again: its machine code may have come from a folder.
func readInterpreter() (*guest.Interpreter, error) {
	metered, err := guest.Build(guest.Metered)
	if err != nil {
		return nil, err
	}
	return guest.ReadInterpreter(metered)
}

// learn makes an instance as wazero does, for the others to be made from.
func (m *machine) learn() error {
	i, err := m.newInstance(nil, bootSize, DefaultLimits.Memory)
	if err != nil {
		return err
	}
	defer i.close()
	m.start = learnStart(m.code, i.module, i.memory.Bytes())
	return nil
}

// close releases a machine that is not used after all.
func (m *machine) close(ctx context.Context) error {
	err := m.runtime.Close(ctx)
	if m.cache != nil {
		err = errors.Join(err, m.cache.Close(ctx))
	}
	return err
}

// works reports whether the machine is the guest and not its shell.
func (m *machine) works() bool {
	i, err := m.newInstance(nil, bootSize, DefaultLimits.Memory)
	if err != nil {
		return false
	}
	defer i.close()
	i.memory.Limit(DefaultLimits.Memory)
	i.build(bootStatements, bootFuel)
	i.invoke(fnInitialize)
	return i.trapped == nil
}

// compilerSupported reports whether wazero has a compiler for this machine;
// without one the engine works, some fifty times slower.
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
