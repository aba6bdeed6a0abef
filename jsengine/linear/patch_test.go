package linear

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// sprinkle writes a few bytes into many pages.
func sprinkle(r *rand.Rand, memory []byte, pages int) {
	for range pages {
		page := memory[r.IntN(len(memory)/PageSize)*PageSize:][:PageSize]
		for range 1 + r.IntN(12) {
			at := []int{0, PageSize - 1, r.IntN(PageSize)}[r.IntN(3)]
			for n := range min(1+r.IntN(40), PageSize-at) {
				page[at+n] = byte(r.Uint32())
			}
		}
	}
}

// What an image changes in a few bytes is kept as these, and nothing of it is lost: in
// what it says of its pages, in a new memory, and in one to which others have written in
// the same pages.
func TestPagesThatDifferALittle(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		origin := scribbled(t, r)
		base := Take(origin.Bytes(), nil)
		base.Share()
		sprinkle(r, origin.Bytes(), 60)
		image := Take(origin.Bytes(), base)
		image.Plan(r.IntN(size))
		want := bytes.Clone(origin.Bytes())
		changed := 0
		for n := range size / PageSize {
			page, below := image.Page(n), base.Page(n)
			if page == nil {
				page = zeroPage[:]
			}
			if below == nil {
				below = zeroPage[:]
			}
			if !bytes.Equal(page, want[n*PageSize:(n+1)*PageSize]) {
				t.Fatalf("seed %d: page %d is not the one that was taken", seed, n)
			}
			if !bytes.Equal(page, below) {
				changed++
			}
		}
		if own := image.Own(); changed < 30 || own > changed*PageSize/4 {
			t.Errorf("seed %d: %d bytes are kept of %d pages that differ in some hundred bytes each", seed, own, changed)
		}
		m, err := New(size, size)
		if err != nil {
			t.Fatal(err)
		}
		m.Map(base)
		image.Fill(m)
		for round := range 4 {
			if !bytes.Equal(m.Bytes(), want) {
				t.Fatalf("seed %d, round %d: not the image", seed, round)
			}
			sprinkle(r, m.Bytes(), 60)
			if round == 1 {
				base.Restore(m)
			}
			image.Restore(m)
		}
		m.Free()
		origin.Free()
	}
}

// Any two pages: the patches turn one into the other and nothing else.
func TestPatches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for n := range 2000 {
		below := make([]byte, PageSize)
		sprinkle(r, below, 1)
		page := bytes.Clone(below)
		for range 1 + r.IntN(3) {
			sprinkle(r, page, 1)
		}
		patches, ok := difference(page, below)
		if !ok {
			continue
		}
		all := [][]patch{patches}
		keep(all)
		live := bytes.Clone(below)
		apply(live, all[0])
		if !bytes.Equal(live, page) {
			t.Fatalf("pair %d: the patches %v do not give the page", n, patches)
		}
		places := slices.SortedFunc(slices.Values(all[0]), func(a, b patch) int { return a.at - b.at })
		for k := range places[1:] {
			if places[k].at+len(places[k].bytes) >= places[k+1].at {
				t.Fatalf("pair %d: patches touch each other", n)
			}
		}
	}
}

// The time to put back 50 pages that a call has changed, kept as patches and kept whole.
func BenchmarkRestorePatches(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 5))
	m, err := New(size, size)
	if err != nil {
		b.Fatal(err)
	}
	defer m.Free()
	memory := m.Bytes()
	for n := range 50 * PageSize {
		memory[n] = byte(r.Uint32())
	}
	base := Take(memory, nil)
	for n := range 50 {
		memory[n*PageSize+300]++
		memory[n*PageSize+2000]++
	}
	near, whole := Take(memory, base), Take(memory, nil)
	for _, c := range []struct {
		name  string
		image *Image
	}{{"patches", near}, {"whole", whole}} {
		for _, dirty := range []int{0, 12} {
			b.Run(c.name+map[int]string{0: " unchanged", 12: " 12 changed"}[dirty], func(b *testing.B) {
				for b.Loop() {
					for n := range dirty {
						memory[n*PageSize+2500]++
					}
					c.image.Restore(m)
				}
			})
		}
	}
}
