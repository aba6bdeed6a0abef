package jsengine

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// mostCode bounds the files of machine code in a folder; one of loops has some 50 to 500
// KiB.
const mostCode = mostCompiled

// prune removes the oldest files of machine code when there are too many. The largest is
// the guest's own and stays. A file that is still wanted is made again.
func prune(dir string) {
	if dir == "" {
		return
	}
	type file struct {
		path string
		info fs.FileInfo
	}
	var files []file
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				files = append(files, file{path, info})
			}
		}
		return nil
	})
	if len(files) <= mostCode {
		return
	}
	guest := slices.MaxFunc(files, func(a, b file) int { return int(a.info.Size() - b.info.Size()) }).path
	slices.SortFunc(files, func(a, b file) int { return a.info.ModTime().Compare(b.info.ModTime()) })
	for _, f := range files[:len(files)-mostCode] {
		if f.path != guest {
			_ = os.Remove(f.path)
		}
	}
}
