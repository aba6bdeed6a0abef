package linear

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

const size = 40 * WasmPage

// scribble writes a few things of any length anywhere.
func scribble(r *rand.Rand, memory []byte) {
	for range 1 + r.IntN(30) {
		at := r.IntN(len(memory))
		for n := range min(1+r.IntN(3*PageSize), len(memory)-at) {
			memory[at+n] = byte(r.Uint32())
		}
	}
}

func scribbled(t *testing.T, r *rand.Rand) *Memory {
	t.Helper()
	m, err := New(size, 2*size)
	if err != nil {
		t.Fatal(err)
	}
	scribble(r, m.Bytes())
	return m
}

// Whatever is written to a memory, and wherever the stack is thought to be,
// restoring gives back the image: on memory that is mapped from a base image, and
// that has held another image in between.
func TestRestoreUndoesEverything(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		origin := scribbled(t, r)
		base := Take(origin.Bytes(), nil)
		base.Plan(r.IntN(size))
		base.Share()
		scribble(r, origin.Bytes())
		clear(origin.Bytes()[5*PageSize : 20*PageSize]) // what the base has and the other has not
		image := Take(origin.Bytes(), base, Span{6 * PageSize, 9 * PageSize}, Span{12 * PageSize, 13 * PageSize})
		image.Plan(r.IntN(size))
		want := bytes.Clone(origin.Bytes())

		m, err := New(size, size)
		if err != nil {
			t.Fatal(err)
		}
		m.Map(base)
		for round := range 4 {
			image.Restore(m)
			if !bytes.Equal(m.Bytes(), want) {
				t.Fatalf("seed %d, round %d: not the image", seed, round)
			}
			scribble(r, m.Bytes())
			if round == 1 {
				base.Restore(m)
			}
		}
		for n := range size / PageSize {
			page := image.Page(n)
			if page == nil {
				page = zeroPage[:]
			}
			if !bytes.Equal(page, want[n*PageSize:(n+1)*PageSize]) {
				t.Fatalf("seed %d: page %d", seed, n)
			}
		}
		m.Free()
		origin.Free()
	}
}

func TestGrowthIsGrantedToTheByte(t *testing.T) {
	m, err := New(WasmPage, 4*WasmPage)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	m.Bytes()[7] = 7
	m.Limit(10 * WasmPage)
	if m.Reallocate(10*WasmPage+1) != nil || !m.Refused() || m.Grown() {
		t.Error("a byte more than allowed")
	}
	m.Limit(10 * WasmPage)
	if m.Refused() {
		t.Error("a new limit remembers")
	}
	grown := m.Reallocate(10 * WasmPage) // beyond what was reserved
	if len(grown) != 10*WasmPage || grown[7] != 7 || !m.Grown() || m.Size() != 10*WasmPage {
		t.Errorf("%d bytes, grown %v", len(grown), m.Grown())
	}
	if again := m.Reallocate(WasmPage); len(again) != 10*WasmPage {
		t.Errorf("asked for less: %d bytes", len(again))
	}
}

// A new memory is the image without anything being compared: what the base has and the
// image has not, what lies behind the mapped part, and the base itself.
func TestFillMakesANewMemoryTheImage(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		origin := scribbled(t, r)
		base := Take(origin.Bytes(), nil)
		base.Share()
		ofBase := bytes.Clone(origin.Bytes())
		scribble(r, origin.Bytes())
		clear(origin.Bytes()[5*PageSize : 20*PageSize])
		image := Take(origin.Bytes(), base)
		for n, p := range []*Image{base, image} {
			m, err := New(size, size)
			if err != nil {
				t.Fatal(err)
			}
			m.Map(base)
			p.Plan(0)
			p.Fill(m)
			if want := [][]byte{ofBase, origin.Bytes()}[n]; !bytes.Equal(m.Bytes(), want) {
				t.Fatalf("seed %d, image %d: not the image", seed, n)
			}
			m.Free()
		}
		origin.Free()
	}
}
