package jsengine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/glovebox-run/glovebox/guest"
	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// compileAfter is the fuel that the calls of an image spend before its loops are
// compiled: some 30 ms of work, about what compiling them takes. Whether and when that
// happens shows in nothing but time.
const compileAfter = 200_000_000

// mostCompiled bounds the images of a process whose loops are compiled.
const mostCompiled = 256

// heat is how much an image has computed, and what came of it.
type heat struct {
	spent   atomic.Uint64
	started atomic.Bool
	faster  atomic.Pointer[Image] // the same program with compiled loops
}

// loops are the compiled loops of an image.
type loops struct{ code wazero.CompiledModule }

// compiler makes the loops of images machine code, beside calls and one at a time.
type compiler struct {
	machine *machine
	pool    *pool

	mu     sync.Mutex // held while an image is compiled
	done   sync.WaitGroup
	closed atomic.Bool
}

// spend adds a call's fuel to its image's, and has that compiled when it is enough.
func (image *Image) spend(fuel uint64) {
	if image.loops != nil || image.heat.spent.Add(fuel) < compileAfter || image.heat.started.Swap(true) {
		return
	}
	image.engine.compiler.start(image)
}

func (c *compiler) start(image *Image) {
	if c.closed.Load() || !compilerSupported() {
		return
	}
	c.done.Go(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.closed.Load() {
			return
		}
		if faster, err := c.compile(image); err == nil && faster != nil {
			image.heat.faster.Store(faster)
		} // else the interpreter goes on, which is only slower
	})
}

// close waits for the image that is being compiled.
func (c *compiler) close() {
	c.closed.Store(true)
	c.done.Wait()
}

// compile makes an image of the same program with compiled loops, nil if it has none.
func (c *compiler) compile(image *Image) (*Image, error) {
	interpreter, err := c.machine.interpreter()
	if err != nil {
		return nil, err
	}
	i, err := c.pool.take(image)
	if err != nil {
		return nil, err
	}
	defer i.close()
	compiled, err := interpreter.Compile(i.memory.Bytes(), image.tool)
	if err != nil || len(compiled.Enters) == 0 {
		return nil, err
	}
	code, err := c.machine.compile(compiled.Module)
	if err != nil {
		return nil, err
	}
	for _, at := range compiled.Enters {
		i.memory.Bytes()[at] = guest.OpEnter
	}
	faster := &Image{
		engine: image.engine, realm: image.realm, file: image.file, body: image.body, prefix: image.prefix, later: image.later, tool: image.tool,
		loops: &loops{code}, pages: linear.Take(i.memory.Bytes(), image.engine.base.pages),
	}
	faster.pages.Plan(int(image.realm.stackPointer))
	runtime.AddCleanup(faster, c.machine.drop, code)
	return faster, nil
}

// compile makes machine code of a module with loops. It is kept in the folder of the
// guest's, by its content.
func (m *machine) compile(module []byte) (wazero.CompiledModule, error) {
	if m.compiled.Add(1) > mostCompiled {
		m.compiled.Add(-1)
		return nil, fmt.Errorf("jsengine: the loops of %d images are compiled", mostCompiled)
	}
	code, err := m.runtime.CompileModule(context.Background(), module)
	if err != nil {
		m.compiled.Add(-1)
		return nil, fmt.Errorf("jsengine: compile loops: %w", err)
	}
	prune(m.codeDir)
	return code, nil
}

func (m *machine) drop(code wazero.CompiledModule) {
	m.compiled.Add(-1)
	_ = code.Close(context.Background())
}

// attach puts an image's loops beside the guest, which finds them in its table.
func (i *instance) attach(m *machine, l *loops) error {
	if l == nil || i.loops == l {
		return nil
	}
	if i.beside != nil {
		if !forgetMemory(i.beside) {
			return errors.New("jsengine: the loops of another image cannot be closed")
		}
		_ = i.beside.Close(i.ctx)
		i.loops, i.beside = nil, nil
	}
	resolve := func(name string) api.Module {
		if name == guest.SharedModule {
			return i.module
		}
		return nil
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions().WithRandSource(noRandomness{})
	beside, err := m.runtime.InstantiateModule(experimental.WithImportResolver(i.ctx, resolve), l.code, config)
	if err != nil {
		return fmt.Errorf("jsengine: instantiate loops: %w", err)
	}
	i.loops, i.beside = l, beside
	return nil
}

// forgetMemory takes the memory from an instance that imports it: wazero frees the memory
// of what is closed, whoever else uses it.
func forgetMemory(instance api.Module) bool {
	v := reflect.ValueOf(instance)
	if !isStruct(v) {
		return false
	}
	memory := v.Elem().FieldByName("MemoryInstance")
	if memory.Kind() != reflect.Pointer || !memory.CanSet() {
		return false
	}
	memory.SetZero()
	return true
}
