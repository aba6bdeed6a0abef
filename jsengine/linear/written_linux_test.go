package linear

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// What the kernel names is what was written, to the page of the system, whatever was read:
// in the mapped part, behind it, and again after pages were given back.
func TestTheKernelNamesWhatWasWritten(t *testing.T) {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		t.Fatal(err)
	}
	perSystemPage := os.Getpagesize() / PageSize
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		origin := make([]byte, size)
		for n := range size / 2 { // the other half is the free heap
			origin[n] = byte(n / PageSize)
		}
		base := Take(origin, nil)
		base.Share()
		m, err := New(size, size)
		if err != nil {
			t.Fatal(err)
		}
		m.Map(base)
		if known := m.findWritten(); !known {
			if release := unix.ByteSliceToString(name.Release[:]); kernelHasScan(release) {
				t.Fatalf("Linux %s does not say what was written", release)
			}
			m.Free()
			return // the kernel cannot say it, and images are compared
		}
		for round := range 3 {
			want := map[int]bool{}
			for range r.IntN(200) { // more regions than one answer holds
				page := r.IntN(size / PageSize)
				m.Bytes()[page*PageSize+r.IntN(PageSize)]++
				for n := range perSystemPage {
					want[page/perSystemPage*perSystemPage+n] = true
				}
			}
			read := byte(0)
			for range 300 {
				read += m.Bytes()[r.IntN(size)]
			}
			if !m.findWritten() {
				t.Fatal("the kernel stopped answering")
			}
			for page := range size / PageSize {
				if m.written.has(page) != want[page] {
					t.Fatalf("seed %d, round %d, page %d: named %v, written %v (%d)", seed, round, page, m.written.has(page), want[page], read)
				}
			}
			dropPages(m.Bytes())
		}
		m.Free()
	}
}

// kernelHasScan reports whether a release is 6.7 or newer.
func kernelHasScan(release string) bool {
	var major, minor int
	_, _ = fmt.Sscanf(release, "%d.%d", &major, &minor)
	return major > 6 || major == 6 && minor >= 7
}
