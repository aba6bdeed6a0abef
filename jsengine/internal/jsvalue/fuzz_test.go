package jsvalue

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// The guest controls its memory: whatever it holds, reading must end, stay inside
// of it, and make only text or JSON.
func FuzzRead(f *testing.F) {
	var object []byte
	for _, w := range []uint32{1, 0x00010100, 0, 0, 48, 100, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1} {
		object = binary.LittleEndian.AppendUint32(object, w)
	}
	f.Add(object, uint64(0xffffffff)<<32, uint32(0))
	f.Add([]byte("\x01\x00\x00\x00\x03\x00\x00\x80\x00\x00\x00\x40\x00\x00\x00\x00\x00\x00\x00\x00\x00\xd8a\x00\x00\xdc"), uint64(0xfffffff9)<<32, uint32(4))
	f.Add(object, math.Float64bits(1e-7)-floatAddend, uint32(8))
	f.Fuzz(func(t *testing.T, memory []byte, v uint64, at uint32) {
		text, inPlace, fits := AppendText(nil, memory, Value(v), 1<<16)
		if len(text) > 1<<16+4 || fits && inPlace && !utf8.Valid(text) {
			t.Errorf("text of %d bytes", len(text))
		}
		l := Layout{atoms: at, length: at % 7, toJSON: at % 5, objectPrototype: at % 3, arrayProto: at % 11}
		out, isPlain, fits := l.AppendJSON(nil, memory, Value(v), 1<<16)
		if isPlain && fits && !json.Valid(out) || len(out) > 1<<16+1<<12 {
			t.Errorf("%q", out)
		}
		if path, found := l.Find(memory, Value(v), uint16(at%4)); found && !utf8.ValidString(path) {
			t.Errorf("the path %q", path)
		}
		if _, err := Learn(memory, Value(v), 0, 200); err == nil {
			t.Error("learned something from noise")
		}
	})
}

// What is written as a string is read back, nothing is written beside it, and a
// string of another size is refused.
func FuzzText(f *testing.F) {
	for _, text := range []string{"", "ascii, and more than eight", "h\u00e9", "\u4e16", "a\U0001f600", "\xff", "\u00ff\u0100"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		units, wide, ok := TextSize(text)
		if ok != utf8.Valid(text) {
			t.Fatalf("%q is text: %t", text, ok)
		}
		if !ok {
			return
		}
		if want := utf16.Encode([]rune(string(text))); units != len(want) || wide != slices.ContainsFunc(want, func(u uint16) bool { return u > 0xff }) {
			t.Fatalf("%q has %d units, wide %t", text, units, wide)
		}
		v := Value(tagString) << 32
		str := func(units int) []byte {
			memory := make([]byte, stringChars, stringChars+2*units+8)
			length, size := uint32(units), units
			if wide {
				length, size = length|wideBit, 2*units
			}
			binary.LittleEndian.PutUint32(memory[stringLength:], length)
			return append(memory, make([]byte, size+8)...)
		}
		memory := str(units)
		if !PutText(memory, v, text) {
			t.Fatalf("%q was not written", text)
		}
		if got, inPlace, fits := AppendText(nil, memory, v, 1<<20); !inPlace || !fits || !bytes.Equal(got, text) {
			t.Errorf("%q came back as %q", text, got)
		}
		if !bytes.Equal(memory[len(memory)-8:], make([]byte, 8)) {
			t.Errorf("%q was written over its end", text)
		}
		for _, other := range []int{units - 1, units + 1} {
			if other >= 0 && PutText(str(other), v, text) {
				t.Errorf("%q fits into %d units", text, other)
			}
		}
	})
}

func TestNumbersAreWrittenAsJavaScriptDoes(t *testing.T) {
	for want, f := range map[string]float64{
		"0": math.Copysign(0, -1), "null": math.NaN(), "1e+21": 1e21, "100000000000000000000": 1e20, "0.000001": 1e-6, "1e-7": 1e-7,
		"1.5e-10": 1.5e-10, "5e-324": 5e-324, "1.7976931348623157e+308": math.MaxFloat64, "-0.1": -0.1, "123456789.125": 123456789.125,
	} {
		v := Float(f)
		if back, ok := v.Number(); !ok || math.Float64bits(back) != math.Float64bits(f) {
			t.Errorf("%v came back as %v", f, back)
		}
		if got := string(appendNumber(nil, f)); got != want {
			t.Errorf("%v: %s, want %s", f, got, want)
		}
	}
}
