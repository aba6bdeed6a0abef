package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/budget"
)

const (
	// maxPath and maxName are what Linux takes, in bytes. Longer ones fail there
	// with an error that differs from system to system.
	maxPath = 4096
	maxName = 255
	// maxNames is how many names a path may have. Each is opened from the one
	// before, more than once: 1,000 of them take a second.
	maxNames = 128
	// maxLinks is how many symbolic links one path may go through, as on Linux.
	maxLinks = 40
	// maxFile is the largest file that is read or written as text, in bytes. The
	// guest holds it twice, as UTF-8 and as a string, in 64 MiB of memory.
	maxFile = 16 << 20
	// readWork is the fuel of reading a byte of a file and checking that it is UTF-8,
	// entryWork that of an entry of a directory, which takes a system call or two,
	// and entrySize the memory of one in bytes, with the path that is made of it.
	readWork  = 4
	entryWork = 16_000
	entrySize = 512
	// tempPrefix starts the names of files that are being written. Tools neither
	// see nor name them.
	tempPrefix = ".glovebox-"
)

// tree is a directory that can be read, and all below it. os.Root keeps every
// access inside, whatever is renamed or linked meanwhile.
type tree struct {
	root  *os.Root
	path  string // canonical and absolute
	alias string // absolute, as the operator wrote it
}

// openTree opens a directory.
func openTree(dir string) (*tree, error) {
	alias, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	path, err := filepath.EvalSymlinks(alias)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &tree{root: root, path: path, alias: alias}, nil
}

// sub narrows a tree to one of its directories.
func (t *tree) sub(rel string) (*tree, error) {
	root, err := t.root.OpenRoot(rel)
	if err != nil {
		return nil, err
	}
	return &tree{root: root, path: filepath.Join(t.path, rel), alias: filepath.Join(t.alias, rel)}, nil
}

// spot is a place in a tree. rel is clean and local; "." is the tree itself.
type spot struct {
	*tree
	rel string
}

func (s spot) absolute() string { return filepath.Join(s.path, s.rel) }

// places is an ordered list of trees. Relative paths begin in home.
type places struct {
	home  string // canonical path of the directory that relative paths begin in
	trees []*tree
}

var (
	errOutside  = errors.New("outside of every tree")
	errReserved = errors.New("a name that is kept for unfinished writes")
)

// locate turns a path into a spot without following links. The path is absolute or
// relative to home; ".." is resolved as text first, so that nothing depends on
// Where a link would lead in the middle of a path.
func (p places) locate(path string) (spot, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(p.home, path)
	}
	path = filepath.Clean(path)
	for _, t := range p.trees {
		for _, base := range []string{t.path, t.alias} {
			rel, err := filepath.Rel(base, path)
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			if strings.HasPrefix(rel, tempPrefix) || strings.Contains(rel, string(filepath.Separator)+tempPrefix) {
				return spot{}, errReserved
			}
			return spot{t, rel}, nil
		}
	}
	return spot{}, errOutside
}

// follow resolves the symbolic links of a spot, the last element's only on
// request, and returns Where they lead: a spot in the same list of trees. It
// also understands links by absolute path, which os.Root refuses. What it
// returns can be out of date at once; the use through os.Root is what holds.
func (p places) follow(at spot, last bool) (spot, error) {
	for range maxLinks {
		next, err := p.step(at, last)
		if err != nil || next == at {
			return next, err
		}
		at = next
	}
	return spot{}, syscall.ELOOP
}

// step follows the first link of a path.
func (p places) step(at spot, last bool) (spot, error) {
	for end := 0; end < len(at.rel); end++ {
		if i := strings.IndexRune(at.rel[end:], filepath.Separator); i >= 0 {
			end += i
		} else {
			end = len(at.rel)
		}
		if end == len(at.rel) && !last {
			break
		}
		prefix := at.rel[:end]
		info, err := at.root.Lstat(prefix)
		if errors.Is(err, fs.ErrNotExist) {
			return at, nil // nothing there, so nothing that leads elsewhere
		}
		if err != nil {
			return spot{}, err
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		target, err := at.root.Readlink(prefix)
		if err != nil {
			return spot{}, err
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(at.path, filepath.Dir(prefix), target)
		}
		return p.locate(filepath.Join(target, at.rel[end:]))
	}
	return at, nil
}

// lookup is locate and follow in one, with the last link followed.
func (p places) lookup(path string) (spot, error) {
	at, err := p.locate(path)
	if err != nil {
		return spot{}, err
	}
	return p.follow(at, true)
}

// inspect opens a spot without ever waiting for it, as a named pipe would, and
// returns what it is. The caller closes the file.
func (s spot) inspect() (*os.File, fs.FileInfo, error) {
	f, err := s.root.OpenFile(s.rel, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

var (
	errNotRegular = errors.New("not a regular file")
	errHardLink   = errors.New("the file has a second name, which may lie outside")
	errTooLarge   = errors.New("the file is larger than 16 MiB")
	errNotUTF8    = errors.New("the file is not UTF-8 text")
)

// open opens a regular file with one name: a second one (a hard link) could lie
// outside of the tree, and what is behind it with it.
func (s spot) open() (*os.File, fs.FileInfo, error) {
	f, info, err := s.inspect()
	if err != nil {
		return nil, nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		err = errNotRegular
	case links(info) > 1:
		err = errHardLink
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// text reads a whole file of UTF-8 text. It holds heldBy bytes for it.
func (s spot) text(account *budget.Account) ([]byte, error) {
	f, info, err := s.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxFile {
		return nil, errTooLarge
	}
	if err := account.ChargeEach(int(info.Size()), readWork); err != nil {
		return nil, err
	}
	if err := account.Hold(int(info.Size()) + 1); err != nil {
		return nil, err
	}
	// One byte more than the file holds lets the last Read see its end at once.
	content := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		if len(content) > maxFile {
			return nil, errTooLarge
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(content) == cap(content) { // it grew while it was read
			if err := account.Hold(4 * len(content)); err != nil {
				return nil, err
			}
			content = slices.Grow(content, 512)
		}
	}
	if !utf8.Valid(content) {
		return nil, errNotUTF8
	}
	return content, nil
}

// entries lists a directory in the order of names, without the files that are
// being written and the names that are not UTF-8, which no tool could pass back.
func (s spot) entries(account *budget.Account, limit int) ([]fs.DirEntry, error) {
	f, info, err := s.inspect()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if !info.IsDir() {
		return nil, syscall.ENOTDIR
	}
	var all []fs.DirEntry
	for {
		some, err := f.ReadDir(1024)
		if err := account.ChargeEach(len(some), entryWork); err != nil {
			return nil, err
		}
		if err := account.Hold(len(some) * entrySize); err != nil {
			return nil, err
		}
		for _, e := range some {
			if utf8.ValidString(e.Name()) && !strings.HasPrefix(e.Name(), tempPrefix) {
				all = append(all, e)
			}
		}
		if len(all) > limit {
			return nil, errTooMany
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return all, nil
}
