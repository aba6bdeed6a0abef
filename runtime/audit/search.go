package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
)

// Searcher searches one chain again and again: what it has read of the file that grows it
// keeps, some 60 bytes a record. It is safe for concurrent use.
type Searcher struct {
	path string

	mu   sync.Mutex
	kept *index         // of the file that grows; nil before the first search
	mark [markSize]byte // of that file as the index covers it
}

// NewSearcher returns a searcher of the chain whose growing file is path.
func NewSearcher(path string) *Searcher { return &Searcher{path: path} }

// Read calls f for every matching record, oldest first. It verifies nothing, and skips
// a line that is no record; Verify reports such lines.
func (s *Searcher) Read(filter Filter, f func(Entry) error) error {
	chain, err := takeSnapshot(s.path)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	defer chain.close()
	if filter == (Filter{}) {
		err = chain.each(func(_ string, _ int, text []byte) error {
			e, ok, err := entryOf(text)
			if err != nil || !ok {
				return err
			}
			return f(e)
		})
	} else {
		for i := range chain.files {
			if err == nil && chain.holds(i, filter) {
				err = s.search(chain, i, filter, false, nil, f)
			}
		}
	}
	if err != nil && !errors.Is(err, ErrStop) {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

// Page is a part of what a search finds.
type Page struct {
	Entries []Entry // newest first
	// Next is the number below which the search goes on ([Filter.Before]); 0 if it has
	// looked at everything.
	Next uint64
	// Late says that its time was over before it had found what was asked for.
	Late bool
}

// Search returns the newest n records that match. When ctx is done it returns what it has
// found until then, which is no error: see [Page.Late].
func (s *Searcher) Search(ctx context.Context, filter Filter, n int) (page Page, err error) {
	if n <= 0 {
		return page, nil
	}
	chain, err := takeSnapshot(s.path)
	if err != nil {
		return page, fmt.Errorf("audit: %w", err)
	}
	defer chain.close()
	looked := func(seq uint64) error {
		if page.Late = len(page.Entries) < n && ctx.Err() != nil; page.Late || len(page.Entries) == n {
			page.Next = seq + 1
			return ErrStop
		}
		return nil
	}
	for i := range slices.Backward(chain.files) {
		if !chain.holds(i, filter) {
			continue
		}
		err := s.search(chain, i, filter, true, looked, func(e Entry) error {
			page.Entries = append(page.Entries, e)
			return nil
		})
		if errors.Is(err, ErrStop) {
			break
		}
		if err != nil {
			return page, fmt.Errorf("audit: %w", err)
		}
	}
	return page, nil
}

// holds reports whether a file may hold records of the numbers that a filter wants.
func (c *snapshot) holds(i int, filter Filter) bool {
	first := func(i int) uint64 { // 0 of the file that grows, whose name does not say it
		if i >= len(c.files)-1 {
			return 0
		}
		return firstIn(c.files[i].Name())
	}
	switch next := first(i + 1); {
	case filter.Before != 0 && first(i) >= filter.Before:
		return false
	case next != 0 && (filter.After >= next-1 || filter.Seq >= next):
		return false
	}
	return filter.Seq == 0 || first(i) <= filter.Seq
}

// search calls f for the matching records of one file, newest first if backward. looked,
// unless it is nil, hears the number of each record before it is read, and ends the
// search with its error.
func (s *Searcher) search(chain *snapshot, n int, filter Filter, backward bool, looked func(seq uint64) error, f func(Entry) error) error {
	file := chain.files[n]
	x, err := s.index(file, chain.sizes[n])
	if err != nil {
		return err
	}
	want, lines := wantedBy(filter), lineReader{file: file, size: x.covered, backward: backward, many: filter.Text != ""}
	for i := range x.len() {
		if backward {
			i = x.len() - 1 - i
		}
		r := x.row(i)
		if !want.fits(r) {
			continue
		}
		if looked != nil {
			if err := looked(r.seq); err != nil {
				return err
			}
		}
		if r.offset < 0 || r.size > maxLine || r.offset+int64(r.size) > x.covered {
			return fmt.Errorf("the index of %s is damaged: delete %s, it is built again", file.Name(), indexName(s.path, x.first))
		}
		text, err := lines.read(r.offset, int(r.size))
		if err != nil {
			return err
		}
		if !want.text.in(text) {
			continue
		}
		e, ok, err := entryOf(text)
		if err != nil {
			return err
		}
		if ok && filter.match(e) {
			if err := f(e); err != nil {
				return err
			}
		}
	}
	return nil
}

// index returns the index of the first size bytes of a file.
func (s *Searcher) index(file *os.File, size int64) (*index, error) {
	if file.Name() != s.path {
		return openIndex(s.path, file, size)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	x := s.kept
	if !s.current(file, size) {
		var err error
		if x, err = openIndex(s.path, file, size); err != nil {
			return nil, err
		}
	} else if x.covered < size {
		// Searches that are under way have the rows that there were.
		x = &index{first: x.first, covered: x.covered, rows: x.rows}
		if err := x.extend(file, size); err != nil {
			return nil, err
		}
	}
	sum, err := mark(file, x.covered)
	if err != nil {
		return nil, err
	}
	s.kept, s.mark = x, sum
	return x, nil
}

// current reports whether what is kept is of this file.
func (s *Searcher) current(file *os.File, size int64) bool {
	if s.kept == nil || s.kept.covered > size {
		return false
	}
	first, err := firstSeq(file)
	if err != nil || first != s.kept.first {
		return false
	}
	sum, err := mark(file, s.kept.covered)
	return err == nil && bytes.Equal(sum[:], s.mark[:])
}
