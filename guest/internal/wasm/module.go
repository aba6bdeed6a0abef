package wasm

import "slices"

// ValType is a value type as the binary format numbers it.
type ValType byte

const (
	I32       ValType = 0x7f
	I64       ValType = 0x7e
	F32       ValType = 0x7d
	F64       ValType = 0x7c
	FuncRef   ValType = 0x70
	ExternRef ValType = 0x6f
)

func (v ValType) valid() bool {
	return v >= F64 && v <= I32 || v == FuncRef || v == ExternRef
}

// FuncType is the signature of a function.
type FuncType struct {
	Params, Results []ValType
}

// Equal reports whether two signatures are the same.
func (t FuncType) Equal(u FuncType) bool {
	return slices.Equal(t.Params, u.Params) && slices.Equal(t.Results, u.Results)
}

// Kind is what an import or an export is.
type Kind byte

const (
	KindFunc Kind = iota
	KindTable
	KindMemory
	KindGlobal
)

// Limits are the sizes of a table (elements) or memory (pages of 64 KiB).
type Limits struct {
	Min, Max uint32
	HasMax   bool
}

// TableType is a table and what it holds.
type TableType struct {
	Elem   ValType
	Limits Limits
}

// GlobalType is the type of a global.
type GlobalType struct {
	Type    ValType
	Mutable bool
}

// Import is one import; which of the last four fields counts depends on Kind.
type Import struct {
	Module, Name string
	Kind         Kind
	Type         uint32 // KindFunc: index into Module.Types
	Table        TableType
	Memory       Limits
	Global       GlobalType
}

// Func is a function with a body. Code ends with the function's own end.
type Func struct {
	Type   uint32 // index into Module.Types
	Locals []LocalRun
	Code   []Instr
	Labels []uint32 // the targets of every br_table, which Instr points into
}

// LocalRun is a run of locals of one type, as the format stores them.
type LocalRun struct {
	Count uint32
	Type  ValType
}

// Global is a global with its initial value.
type Global struct {
	Type GlobalType
	Init []Instr // a constant expression with its end
}

// Export gives a function, table, memory or global a name.
type Export struct {
	Name  string
	Kind  Kind
	Index uint32
}

// Mode says when a segment is used.
type Mode byte

const (
	Active Mode = iota
	Passive
	Declared // element segments only
)

// Elem is an element segment. Exprs is set when the segment holds constant
// expressions; otherwise it holds function indices.
type Elem struct {
	Mode   Mode
	Table  uint32
	Offset []Instr
	Type   ValType
	Funcs  []uint32
	Exprs  [][]Instr
}

// Data is a data segment.
type Data struct {
	Mode   Mode
	Memory uint32
	Offset []Instr
	Init   []byte
}

// Custom is a section with a name of its own. They are written last.
type Custom struct {
	Name string
	Data []byte
}

// Module is a module, section by section.
type Module struct {
	Types     []FuncType
	Imports   []Import
	Funcs     []Func
	Tables    []TableType
	Memories  []Limits
	Globals   []Global
	Exports   []Export
	Start     *uint32
	Elems     []Elem
	Datas     []Data
	DataCount *uint32
	Customs   []Custom
}

// ImportedFuncs counts the imported functions: function i with a body has index
// ImportedFuncs() + i.
func (m *Module) ImportedFuncs() int { return m.imported(KindFunc) }

// ImportedGlobals counts the imported globals, which come before our own.
func (m *Module) ImportedGlobals() int { return m.imported(KindGlobal) }

func (m *Module) imported(k Kind) int {
	n := 0
	for i := range m.Imports {
		if m.Imports[i].Kind == k {
			n++
		}
	}
	return n
}

// FuncTypeOf returns the signature of the function with the given index, or false
// when there is none.
func (m *Module) FuncTypeOf(index uint32) (FuncType, bool) {
	i := index
	for k := range m.Imports {
		if m.Imports[k].Kind != KindFunc {
			continue
		}
		if i == 0 {
			return m.typeAt(m.Imports[k].Type)
		}
		i--
	}
	if int64(i) >= int64(len(m.Funcs)) {
		return FuncType{}, false
	}
	return m.typeAt(m.Funcs[i].Type)
}

func (m *Module) typeAt(i uint32) (FuncType, bool) {
	if int64(i) >= int64(len(m.Types)) {
		return FuncType{}, false
	}
	return m.Types[i], true
}

// TypeIndex returns the index of a signature, adding it when it is new.
func (m *Module) TypeIndex(t FuncType) uint32 {
	if i := slices.IndexFunc(m.Types, t.Equal); i >= 0 {
		return uint32(i)
	}
	m.Types = append(m.Types, t)
	return uint32(len(m.Types) - 1)
}
