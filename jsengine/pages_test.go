package jsengine

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/glovebox-run/glovebox/guest"
	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// written is a page that a call has left other than it found it.
type written struct {
	at            int
	words, counts int    // of four bytes that differ, and those of them that look like counts of references
	what          string // the region, and whose content it was
}

// maxCounted is by how much a call changes the number of references to a thing.
const maxCounted = 64

// writtenBy runs a call on a fresh instance and compares its memory with the image's.
func writtenBy(t testing.TB, image *Image, call Call) (pages []written) {
	t.Helper()
	i, err := image.engine.pool.take(image)
	if err != nil {
		t.Fatal(err)
	}
	defer i.close()
	before := bytes.Clone(i.memory.Bytes())
	var out Outcome
	if i.execute(t.Context(), image, &call, time.Now(), &out); out.Failure != nil {
		t.Fatal(out.Failure)
	}
	after := i.memory.Bytes()
	for at := 0; at < len(before); at += linear.PageSize {
		a, b := before[at:at+linear.PageSize], after[at:at+linear.PageSize]
		if bytes.Equal(a, b) {
			continue
		}
		w := written{at: at, what: whose(image, at)}
		for n := 0; n < len(a); n += 4 {
			was, is := binary.LittleEndian.Uint32(a[n:]), binary.LittleEndian.Uint32(b[n:])
			if was == is {
				continue
			}
			w.words++
			if was != 0 && is != 0 && was-is+maxCounted < 2*maxCounted && max(was, is) < 1<<16 {
				w.counts++
			}
		}
		pages = append(pages, w)
	}
	return pages
}

// whose names the region of a page, and for the heap who had put something there before
// the call.
func whose(image *Image, at int) string {
	has := func(address uint64) bool { return int(address)&^(linear.PageSize-1) == at }
	switch r := image.realm; {
	case at < guest.StackLow&^(linear.PageSize-1):
		return "static data"
	case at < guest.StackHigh&^(linear.PageSize-1):
		return "stack"
	case has(r.runtime):
		return "heap: runtime"
	case has(r.context):
		return "heap: context"
	}
	n := at / linear.PageSize
	switch below, own := image.engine.base.pages.Page(n), image.pages.Page(n); {
	case own == nil:
		return "heap: free"
	case below == nil:
		return "heap: tool"
	case bytes.Equal(below, own):
		return "heap: prelude"
	}
	return "heap: prelude and tool"
}

// What a call writes decides what a reset copies and how much of an instance is private.
// Run with -v it says page by page whose memory that was.
func TestWhatACallWrites(t *testing.T) {
	e := testEngine(t)
	for _, c := range []struct {
		name, body, arguments string
		most                  int // pages
	}{
		{"nothing", ``, `{}`, 10},
		{"a small JSON tool", smallTool, `{"text":"the quick brown fox jumps over the lazy dog"}`, 15},
	} {
		pages := writtenBy(t, testImage(t, e, c.body, "text"), Call{Arguments: []byte(c.arguments), Seed: 1})
		var table strings.Builder
		w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
		sums := map[string]int{}
		for _, p := range pages {
			what := p.what
			if p.counts == p.words {
				what += ", counts alone"
			}
			fmt.Fprintf(w, "%#x\t%s\t%d words\n", p.at, what, p.words)
			sums[what]++
		}
		w.Flush()
		var whose []string
		for what, n := range sums {
			whose = append(whose, fmt.Sprintf("%s %d", what, n))
		}
		slices.Sort(whose)
		t.Logf("%s writes %d pages: %s\n%s", c.name, len(pages), strings.Join(whose, "; "), table.String())
		if len(pages) > c.most {
			t.Errorf("%s writes %d pages; at most %d until now", c.name, len(pages), c.most)
		}
	}
}
