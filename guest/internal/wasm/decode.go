package wasm

import (
	"errors"
	"fmt"
)

const header = "\x00asm\x01\x00\x00\x00"

const (
	secCustom = iota
	secType
	secImport
	secFunction
	secTable
	secMemory
	secGlobal
	secExport
	secStart
	secElem
	secCode
	secData
	secDataCount
)

// order is where a section may stand: DataCount lies between Elem and Code.
var order = [...]int{secType: 1, secImport: 2, secFunction: 3, secTable: 4, secMemory: 5, secGlobal: 6, secExport: 7, secStart: 8, secElem: 9, secDataCount: 10, secCode: 11, secData: 12}

// Decode reads a module. The result shares no memory with data except the
// contents of data segments and custom sections.
func Decode(data []byte) (*Module, error) {
	if len(data) < len(header) || string(data[:len(header)]) != header {
		return nil, errors.New("wasm: not a WebAssembly 1 module")
	}
	d := decoder{m: new(Module)}
	r := reader{data: data, pos: len(header)}
	last := 0
	for r.pos < len(data) && r.err == nil {
		id := r.byte()
		sec := r.section(r.u32())
		if r.err != nil {
			break
		}
		if id != secCustom {
			if int(id) >= len(order) || order[id] <= last {
				return nil, fmt.Errorf("wasm: section %d is unknown, repeated or out of order", id)
			}
			last = order[id]
		}
		d.section(id, &sec)
		if err := sec.done(); err != nil {
			return nil, fmt.Errorf("wasm: section %d: %w", id, err)
		}
	}
	if r.err != nil {
		return nil, fmt.Errorf("wasm: %w", r.err)
	}
	if d.bodies != len(d.m.Funcs) {
		return nil, fmt.Errorf("wasm: %d functions but %d bodies", len(d.m.Funcs), d.bodies)
	}
	if n := d.m.DataCount; n != nil && int64(*n) != int64(len(d.m.Datas)) {
		return nil, errors.New("wasm: data count differs from the data section")
	}
	return d.m, nil
}

type decoder struct {
	m      *Module
	bodies int
}

func (d *decoder) section(id byte, r *reader) {
	m := d.m
	switch id {
	case secCustom:
		name := r.name()
		m.Customs = append(m.Customs, Custom{name, r.bytes(uint32(len(r.data) - r.pos))})
	case secType:
		m.Types = vector(r, 3, d.funcType)
	case secImport:
		m.Imports = vector(r, 4, d.importOf)
	case secFunction:
		m.Funcs = vector(r, 1, func(r *reader) Func { return Func{Type: d.typeIndex(r)} })
	case secTable:
		m.Tables = vector(r, 3, tableType)
	case secMemory:
		m.Memories = vector(r, 2, limits)
	case secGlobal:
		m.Globals = vector(r, 4, func(r *reader) Global { return Global{globalType(r), d.constExpr(r)} })
	case secExport:
		m.Exports = vector(r, 3, func(r *reader) Export { return Export{r.name(), kind(r), r.u32()} })
	case secStart:
		index := r.u32()
		m.Start = &index
	case secElem:
		m.Elems = vector(r, 3, d.elem)
	case secDataCount:
		n := r.u32()
		m.DataCount = &n
	case secCode:
		d.code(r)
	case secData:
		m.Datas = vector(r, 2, d.data)
	}
}

func vector[T any](r *reader, size int, one func(*reader) T) []T {
	n := r.count(size)
	if n == 0 {
		return nil
	}
	list := make([]T, 0, n)
	for range n {
		list = append(list, one(r))
		if r.err != nil {
			return nil
		}
	}
	return list
}

func valType(r *reader) ValType {
	v := ValType(r.byte())
	if !v.valid() {
		r.fail(fmt.Errorf("unknown value type %#x", byte(v)))
	}
	return v
}

func kind(r *reader) Kind {
	k := Kind(r.byte())
	if k > KindGlobal {
		r.fail(fmt.Errorf("unknown kind %d", k))
	}
	return k
}

func limits(r *reader) Limits {
	switch flag := r.byte(); flag {
	case 0:
		return Limits{Min: r.u32()}
	case 1:
		return Limits{Min: r.u32(), Max: r.u32(), HasMax: true}
	default:
		r.fail(fmt.Errorf("unknown limits %#x", flag))
		return Limits{}
	}
}

func tableType(r *reader) TableType {
	t := TableType{Elem: valType(r), Limits: limits(r)}
	if r.err == nil && t.Elem != FuncRef && t.Elem != ExternRef {
		r.fail(errors.New("a table holds references"))
	}
	return t
}

func globalType(r *reader) GlobalType {
	t := GlobalType{Type: valType(r)}
	switch mut := r.byte(); mut {
	case 0, 1:
		t.Mutable = mut == 1
	default:
		r.fail(fmt.Errorf("unknown mutability %d", mut))
	}
	return t
}

func (d *decoder) funcType(r *reader) FuncType {
	if form := r.byte(); r.err == nil && form != 0x60 {
		r.fail(fmt.Errorf("unknown type form %#x", form))
	}
	return FuncType{vector(r, 1, valType), vector(r, 1, valType)}
}

func (d *decoder) typeIndex(r *reader) uint32 {
	i := r.u32()
	if r.err == nil && int64(i) >= int64(len(d.m.Types)) {
		r.fail(fmt.Errorf("no type %d", i))
	}
	return i
}

func (d *decoder) importOf(r *reader) Import {
	im := Import{Module: r.name(), Name: r.name(), Kind: kind(r)}
	switch im.Kind {
	case KindFunc:
		im.Type = d.typeIndex(r)
	case KindTable:
		im.Table = tableType(r)
	case KindMemory:
		im.Memory = limits(r)
	case KindGlobal:
		im.Global = globalType(r)
	}
	return im
}

func (d *decoder) elem(r *reader) Elem {
	flags := r.u32()
	if flags > 7 {
		r.fail(fmt.Errorf("unknown element segment %d", flags))
	}
	e := Elem{Type: FuncRef}
	switch {
	case flags&1 == 0:
		if flags&2 != 0 {
			e.Table = r.u32()
		}
		e.Offset = d.constExpr(r)
	case flags&2 == 0:
		e.Mode = Passive
	default:
		e.Mode = Declared
	}
	exprs := flags&4 != 0
	if flags&3 != 0 {
		if exprs {
			e.Type = valType(r)
		} else if kind := r.byte(); r.err == nil && kind != 0 {
			r.fail(fmt.Errorf("unknown element kind %d", kind))
		}
	}
	if !exprs {
		e.Funcs = vector(r, 1, (*reader).u32)
		return e
	}
	e.Exprs = vector(r, 1, d.constExpr)
	if e.Exprs == nil {
		e.Exprs = [][]Instr{} // an empty list still says which form it is
	}
	return e
}

func (d *decoder) data(r *reader) Data {
	var s Data
	switch flags := r.u32(); flags {
	case 0:
		s.Offset = d.constExpr(r)
	case 1:
		s.Mode = Passive
	case 2:
		s.Memory = r.u32()
		s.Offset = d.constExpr(r)
	default:
		r.fail(fmt.Errorf("unknown data segment %d", flags))
	}
	s.Init = r.bytes(r.u32())
	return s
}
