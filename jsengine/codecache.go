package jsengine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/glovebox-run/glovebox/guest"
)

// codeCache is the folder that keeps the compiled guest between processes:
//
//	shell-REVISION.bin  the SHA-256 of guest.Shell's result, and that
//	machine-code/       wazero's own cache: the machine code of the metered guest,
//	                    under the name that wazero gives to that of the shell
//
// wazero decodes and validates a module before it checks whether it has the code,
// and that takes longer than the rest of a start. So wazero is given the shell and
// finds the whole guest's code under the shell's name: the two modules differ in
// nothing else that instances are made of. On a miss, after a change of wazero
// version or processor, wazero compiles the shell, which traps at once: see
// machine.works. No problem with the folder is an error: the guest is then linked
// and compiled again.
//
// The checksums, ours and wazero's, detect damage, not an attacker: anyone who can
// write here can write machine code. So the folder has mode 0700, and a folder
// that others can write is not used.
type codeCache struct{ dir string }

func (c codeCache) shellFile() string {
	name := sha256.Sum256([]byte(guest.Revision))
	return filepath.Join(c.dir, "shell-"+hex.EncodeToString(name[:8])+".bin")
}

func (c codeCache) machineCode() string { return filepath.Join(c.dir, "machine-code") }

// private reports whether the folders that exist belong to us and nobody else can
// write them.
func (c codeCache) private() bool {
	for _, dir := range []string{c.dir, c.machineCode()} {
		info, err := os.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !info.IsDir() || !onlyWeWrite(info) {
			return false
		}
	}
	return true
}

// shell returns the guest's shell, or nil when there is none.
func (c codeCache) shell() []byte {
	if info, err := os.Lstat(c.shellFile()); err != nil || !info.Mode().IsRegular() {
		return nil // reading a pipe would block
	}
	content, err := os.ReadFile(c.shellFile())
	if err != nil || len(content) < sha256.Size {
		return nil
	}
	shell := content[sha256.Size:]
	if sum := sha256.Sum256(shell); !bytes.Equal(sum[:], content[:sha256.Size]) {
		return nil
	}
	return shell
}

// load makes a machine from the cache, or returns nil when the cache is not
// enough.
func (c codeCache) load(ctx context.Context) *machine {
	shell := c.shell()
	if shell == nil {
		return nil
	}
	m, err := newMachine(ctx, c.machineCode(), shell)
	if err != nil {
		return nil
	}
	if !m.works() {
		_ = m.close(ctx)
		return nil
	}
	return m
}

// fill makes a machine of the metered guest and stores what load needs. Only
// wazero knows the name of the machine code; in a folder of our own it is the name
// of the file that appears.
func (c codeCache) fill(ctx context.Context, metered []byte) (*machine, error) {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return nil, err
	}
	if !c.private() {
		return nil, errors.New("others can write the cache folder")
	}
	own, err := os.MkdirTemp(c.dir, "compile-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(own)
	m, err := newMachine(ctx, own, metered)
	if err != nil {
		return nil, err
	}
	// The machine is complete. The rest is for the next process.
	_ = c.store(ctx, m, own, metered)
	return m, nil
}

func (c codeCache) store(ctx context.Context, m *machine, own string, metered []byte) error {
	shell, err := guest.Shell(metered)
	if err != nil {
		return err
	}
	files := func() []string {
		found, _ := filepath.Glob(filepath.Join(own, "*", "*"))
		return found
	}
	code := files()
	if len(code) != 1 {
		return errors.New("wazero has not stored the guest")
	}
	empty, err := m.runtime.CompileModule(ctx, shell)
	if err != nil {
		return err
	}
	defer empty.Close(ctx)
	for _, file := range files() {
		if file == code[0] {
			continue
		}
		folder, name := filepath.Split(file)
		folder = filepath.Join(c.machineCode(), filepath.Base(folder))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		if err := os.Rename(code[0], filepath.Join(folder, name)); err != nil {
			return err
		}
		return c.storeShell(own, shell)
	}
	return errors.New("wazero has not stored the shell")
}

// storeShell writes the file whole or not at all.
func (c codeCache) storeShell(own string, shell []byte) error {
	sum := sha256.Sum256(shell)
	temporary := filepath.Join(own, "shell")
	if err := os.WriteFile(temporary, append(sum[:], shell...), 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, c.shellFile())
}

// openMachine takes the machine from the cache, or makes it and fills the cache,
// or makes it without one.
func openMachine(ctx context.Context, cacheDir string) (*machine, error) {
	c := codeCache{cacheDir}
	cached := cacheDir != "" && compilerSupported() && c.private()
	if cached {
		if m := c.load(ctx); m != nil {
			return m, nil
		}
	}
	metered, err := guest.Build(guest.Metered)
	if err != nil {
		return nil, err
	}
	if cached {
		if m, err := c.fill(ctx, metered); err == nil {
			// Its folder is gone, so it could not compile another module: the loops of a tool.
			if loaded := c.load(ctx); loaded != nil {
				return loaded, m.close(ctx)
			}
			return m, nil
		}
	}
	return newMachine(ctx, "", metered)
}
