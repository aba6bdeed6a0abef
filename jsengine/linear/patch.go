package linear

import "bytes"

// A tool's image changes many pages of the base image in a few bytes: the counts and the
// neighbours of objects that were there before. Of such a page only these are kept.
//
// maxPatch is how many bytes, with patchCost for each place; what differs in more is kept
// whole, as putting it together would take longer than copying it.
const (
	maxPatch  = PageSize / 4
	patchCost = 16
	joined    = 16 // places that are closer than this many bytes are one
)

// patch is one place of a page that differs from the base image's.
type patch struct {
	at    int
	bytes []byte
}

// difference returns what turns page below into page, sharing page's bytes. ok is false
// when that is too much to be worth it.
func difference(page, below []byte) (patches []patch, ok bool) {
	const step = 64 // bytes that are compared at once
	size := 0
	for line := 0; line < PageSize; line += step {
		if bytes.Equal(page[line:line+step], below[line:line+step]) {
			continue
		}
		for at := line; at < line+step; at++ {
			if page[at] == below[at] {
				continue
			}
			if n := len(patches) - 1; n >= 0 && at-patches[n].at-len(patches[n].bytes) < joined {
				size += at + 1 - patches[n].at - len(patches[n].bytes)
				patches[n].bytes = page[patches[n].at : at+1]
			} else {
				size += 1 + patchCost
				patches = append(patches, patch{at, page[at : at+1]})
			}
			if size > maxPatch {
				return nil, false
			}
		}
	}
	return patches, true
}

// apply writes the patches into a page that is equal to the base image's elsewhere.
func apply(live []byte, patches []patch) {
	for _, p := range patches {
		copy(live[p.at:], p.bytes)
	}
}

// keep copies the bytes of patches, which are somebody else's, into one block each for
// the bytes and the places.
func keep(all [][]patch) {
	places, size := 0, 0
	for _, patches := range all {
		places += len(patches)
		for _, p := range patches {
			size += len(p.bytes)
		}
	}
	kept, block := make([]patch, 0, places), make([]byte, 0, size)
	for n, patches := range all {
		first := len(kept)
		for _, p := range patches {
			block = append(block, p.bytes...)
			kept = append(kept, patch{p.at, block[len(block)-len(p.bytes) : len(block) : len(block)]})
		}
		all[n] = kept[first:len(kept):len(kept)]
	}
}
