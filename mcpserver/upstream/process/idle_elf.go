//go:build linux && (amd64 || arm64)

package process

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"runtime"
	"unsafe"
)

// idleCode is the program of idle_linux_*.s. It is not called.
func idleCode()

var _ = idleCode

// idleBegin is where it begins. A Go pointer to an assembled function leads to a wrapper.
var idleBegin uintptr

const (
	// idleMark ends the code, little-endian.
	idleMark = "idle end"
	// mostIdle bounds the search for the mark, in bytes.
	mostIdle = 1 << 10
	// idleBase is the address the program is mapped at: a multiple of every page size, and
	// above what the kernel keeps free.
	idleBase = 0x400000
)

// idleProgram is the smallest of executable files: headers and code in one segment, of which the
// kernel maps one page, and no segment to write to but the stack.
func idleProgram() []byte {
	code := unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&idleBegin))), mostIdle)
	end := bytes.Index(code, []byte(idleMark))
	if end < 0 {
		return nil
	}
	machine := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
	var head elf.Header64
	var segments [2]elf.Prog64
	size := binary.Size(head) + binary.Size(segments)
	head = elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Entry: uint64(idleBase + size), Phoff: uint64(binary.Size(head)),
		Ehsize: uint16(binary.Size(head)), Phentsize: uint16(binary.Size(segments[0])), Phnum: uint16(len(segments)),
	}
	whole := uint64(size + end)
	segments[0] = elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R | elf.PF_X), Vaddr: idleBase, Paddr: idleBase, Filesz: whole, Memsz: whole, Align: 1 << 16}
	segments[1] = elf.Prog64{Type: uint32(elf.PT_GNU_STACK), Flags: uint32(elf.PF_R | elf.PF_W)}
	var file bytes.Buffer
	_ = binary.Write(&file, binary.LittleEndian, head)
	_ = binary.Write(&file, binary.LittleEndian, segments)
	file.Write(code[:end])
	return file.Bytes()
}
