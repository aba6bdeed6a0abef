package guest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// Section ids of the binary format.
const (
	customSection = 0
	codeSection   = 10
)

// emptyBody is a function body of three bytes: no locals, unreachable, end.
var emptyBody = []byte{3, 0, 0x00, 0x0b}

// Shell returns a module whose functions do nothing but trap, with the original
// module's SHA-256 in a section of its own: two modules never have the same shell.
// With the original's machine code, the shell is enough to instantiate the module,
// and reading and validating it takes a twentieth of the time.
func Shell(module []byte) ([]byte, error) {
	const preamble = 8 // magic and version
	if len(module) < preamble {
		return nil, errNoModule
	}
	shell := bytes.Clone(module[:preamble])
	section := func(id byte, content []byte) {
		shell = binary.AppendUvarint(append(shell, id), uint64(len(content)))
		shell = append(shell, content...)
	}
	for rest := module[preamble:]; len(rest) > 0; {
		size, n := binary.Uvarint(rest[1:])
		if n <= 0 || size > uint64(len(rest)-1-n) {
			return nil, errNoModule
		}
		id, content := rest[0], rest[1+n:1+n+int(size)]
		rest = rest[1+n+int(size):]
		if id == codeSection {
			count, n := binary.Uvarint(content)
			if n <= 0 || count > size {
				return nil, errNoModule
			}
			content = append(bytes.Clone(content[:n]), bytes.Repeat(emptyBody, int(count))...)
		}
		section(id, content)
	}
	sum := sha256.Sum256(module)
	section(customSection, append([]byte("\x06sha256"), sum[:]...))
	return shell, nil
}

var errNoModule = errors.New("guest: not a WebAssembly module")
