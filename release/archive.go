package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// file is an entry of an archive; a name that ends with a slash is a folder.
type file struct {
	name string
	mode int64
	text []byte
}

// files are the binary and what goes with it everywhere.
func (r *release) files(binary string, licences []byte) ([]file, error) {
	all := []file{{"THIRD_PARTY_LICENSES", 0o644, licences}}
	for _, name := range []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		all = append(all, file{name, 0o644, text})
	}
	text, err := os.ReadFile(binary)
	return append(all, file{filepath.Base(binary), 0o755, text}), err
}

// archive writes a tar.gz, or a zip for Windows, and returns its path.
func (r *release) archive(t target, binary string, licences []byte) (string, error) {
	all, err := r.files(binary, licences)
	if err != nil {
		return "", err
	}
	all = append(all, r.papers.share(t)...)
	kind, write := ".tar.gz", r.tarball
	if t.os == "windows" {
		kind, write = ".zip", r.zip
	}
	path := filepath.Join(r.out, r.name(t)+kind)
	out, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer out.Close()
	if err := write(out, strings.TrimSuffix(filepath.Base(path), kind), all); err != nil {
		return "", err
	}
	return path, out.Close()
}

func (r *release) tarball(out io.Writer, folder string, all []file) error {
	packed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(packed)
	for _, f := range all {
		name := f.name
		if folder != "" {
			name = folder + "/" + name
		}
		header := &tar.Header{Name: name, Mode: f.mode, Size: int64(len(f.text)), ModTime: r.time, Format: tar.FormatPAX}
		if name == state {
			header.Uid, header.Gid = nobody, nobody
		}
		if err := w.WriteHeader(header); err != nil {
			return err
		}
		if _, err := w.Write(f.text); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return packed.Close()
}

func (r *release) zip(out io.Writer, folder string, all []file) error {
	w := zip.NewWriter(out)
	for _, f := range all {
		header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: r.time.Truncate(2 * time.Second)}
		header.SetMode(os.FileMode(f.mode))
		entry, err := w.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.text); err != nil {
			return err
		}
	}
	return w.Close()
}
