package wasm

import (
	"encoding/binary"
	"math/bits"
)

// Encode writes a module.
func Encode(m *Module) []byte {
	w := make([]byte, 0, 2<<20)
	w = append(w, header...)
	w = section(w, secType, m.Types, func(w []byte, t FuncType) []byte {
		w = append(w, 0x60)
		w = vec(w, t.Params, appendValType)
		return vec(w, t.Results, appendValType)
	})
	w = section(w, secImport, m.Imports, appendImport)
	w = section(w, secFunction, m.Funcs, func(w []byte, f Func) []byte { return appendU(w, f.Type) })
	w = section(w, secTable, m.Tables, appendTable)
	w = section(w, secMemory, m.Memories, appendLimits)
	w = section(w, secGlobal, m.Globals, func(w []byte, g Global) []byte {
		return appendInstrs(appendGlobalType(w, g.Type), nil, g.Init)
	})
	w = section(w, secExport, m.Exports, func(w []byte, e Export) []byte {
		return appendU(append(appendName(w, e.Name), byte(e.Kind)), e.Index)
	})
	if m.Start != nil {
		w = sized(append(w, secStart), func(w []byte) []byte { return appendU(w, *m.Start) })
	}
	w = section(w, secElem, m.Elems, appendElem)
	if m.DataCount != nil {
		w = sized(append(w, secDataCount), func(w []byte) []byte { return appendU(w, *m.DataCount) })
	}
	w = section(w, secCode, m.Funcs, appendBody)
	w = section(w, secData, m.Datas, appendData)
	for _, c := range m.Customs {
		w = sized(append(w, secCustom), func(w []byte) []byte { return append(appendName(w, c.Name), c.Data...) })
	}
	return w
}

func section[T any](w []byte, id byte, list []T, one func([]byte, T) []byte) []byte {
	if len(list) == 0 {
		return w
	}
	return sized(append(w, id), func(w []byte) []byte { return vec(w, list, one) })
}

func vec[T any](w []byte, list []T, one func([]byte, T) []byte) []byte {
	w = appendU(w, uint32(len(list)))
	for _, v := range list {
		w = one(w, v)
	}
	return w
}

// sized writes the output of body with its length in front. The length is only
// known afterwards: it is written last, and the output is moved up to it.
func sized(w []byte, body func([]byte) []byte) []byte {
	const room = 5
	start := len(w)
	w = append(w, make([]byte, room)...)
	w = body(w)
	size := uint64(len(w) - start - room)
	n := unsignedLen(size)
	copy(w[start+n:], w[start+room:])
	binary.PutUvarint(w[start:start+n], size)
	return w[:len(w)-room+n]
}

func appendU(w []byte, v uint32) []byte { return binary.AppendUvarint(w, uint64(v)) }

func appendName(w []byte, s string) []byte { return append(appendU(w, uint32(len(s))), s...) }

func appendValType(w []byte, v ValType) []byte { return append(w, byte(v)) }

func appendLimits(w []byte, l Limits) []byte {
	if l.HasMax {
		return appendU(appendU(append(w, 1), l.Min), l.Max)
	}
	return appendU(append(w, 0), l.Min)
}

func appendTable(w []byte, t TableType) []byte {
	return appendLimits(append(w, byte(t.Elem)), t.Limits)
}

func appendGlobalType(w []byte, g GlobalType) []byte {
	w = append(w, byte(g.Type), 0)
	if g.Mutable {
		w[len(w)-1] = 1
	}
	return w
}

func appendImport(w []byte, im Import) []byte {
	w = append(appendName(appendName(w, im.Module), im.Name), byte(im.Kind))
	switch im.Kind {
	case KindFunc:
		return appendU(w, im.Type)
	case KindTable:
		return appendTable(w, im.Table)
	case KindMemory:
		return appendLimits(w, im.Memory)
	default:
		return appendGlobalType(w, im.Global)
	}
}

func appendElem(w []byte, e Elem) []byte {
	var flags uint32
	switch {
	case e.Mode == Passive:
		flags = 1
	case e.Mode == Declared:
		flags = 3
	case e.Table != 0 || e.Type != FuncRef:
		flags = 2
	}
	if e.Exprs != nil {
		flags |= 4
	}
	w = appendU(w, flags)
	if e.Mode == Active {
		if flags&2 != 0 {
			w = appendU(w, e.Table)
		}
		w = appendInstrs(w, nil, e.Offset)
	}
	if flags&3 != 0 {
		if e.Exprs != nil {
			w = append(w, byte(e.Type))
		} else {
			w = append(w, 0)
		}
	}
	if e.Exprs == nil {
		return vec(w, e.Funcs, appendU)
	}
	return vec(w, e.Exprs, func(w []byte, x []Instr) []byte { return appendInstrs(w, nil, x) })
}

func appendData(w []byte, d Data) []byte {
	switch {
	case d.Mode == Passive:
		w = append(w, 1)
	case d.Memory != 0:
		w = appendInstrs(appendU(append(w, 2), d.Memory), nil, d.Offset)
	default:
		w = appendInstrs(append(w, 0), nil, d.Offset)
	}
	return append(appendU(w, uint32(len(d.Init))), d.Init...)
}

func appendBody(w []byte, f Func) []byte {
	return sized(w, func(w []byte) []byte {
		w = vec(w, f.Locals, func(w []byte, run LocalRun) []byte { return append(appendU(w, run.Count), byte(run.Type)) })
		return appendInstrs(w, &f, f.Code)
	})
}

func appendInstrs(w []byte, f *Func, code []Instr) []byte {
	for _, in := range code {
		if in.Op > 0xff {
			w = appendU(append(w, byte(in.Op>>8)), uint32(in.Op&0xff))
		} else {
			w = append(w, byte(in.Op))
		}
		width, width2 := int(in.Widths&15), int(in.Widths>>4)
		switch shapeOf(in.Op) {
		case shapeIndex:
			w = appendUnsigned(w, in.Imm, width)
		case shapeTwo:
			w = appendUnsigned(appendUnsigned(w, in.Imm, width), uint64(in.Imm2), width2)
		case shapeMemory:
			w = appendUnsigned(appendUnsigned(w, uint64(in.Imm2), width2), in.Imm, width)
		case shapeBlock:
			if in.Imm >= TypeBlock {
				w = appendSigned(w, int64(in.Imm-TypeBlock), 0)
			} else {
				w = append(w, byte(in.Imm))
			}
		case shapeI32, shapeI64:
			w = appendSigned(w, int64(in.Imm), width)
		case shapeFixed32:
			w = binary.LittleEndian.AppendUint32(w, uint32(in.Imm))
		case shapeFixed64:
			w = binary.LittleEndian.AppendUint64(w, in.Imm)
		case shapeLabels:
			targets := f.Targets(in)
			w = appendU(w, uint32(len(targets)-1))
			for _, label := range targets {
				w = appendU(w, label)
			}
		case shapeTypes:
			w = append(w, 1, byte(in.Imm))
		case shapeHeap:
			w = append(w, byte(in.Imm))
		}
	}
	return w
}

func unsignedLen(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

func signedLen(v int64) int { return bits.Len64(uint64(v^v>>63))/7 + 1 }

// appendUnsigned writes a number in at least width bytes.
func appendUnsigned(w []byte, v uint64, width int) []byte {
	for n := max(width, 1); ; n-- {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && n <= 1 {
			return append(w, b)
		}
		w = append(w, b|0x80)
	}
}

// appendSigned writes a signed number in at least width bytes.
func appendSigned(w []byte, v int64, width int) []byte {
	for n := max(width, 1); ; n-- {
		b := byte(v & 0x7f)
		v >>= 7
		if n <= 1 && (v == 0 && b < 0x40 || v == -1 && b >= 0x40) {
			return append(w, b)
		}
		w = append(w, b|0x80)
	}
}
