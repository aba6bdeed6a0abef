package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

//go:embed run.glovebox.serve.plist
var plist []byte

// shells are those that completions are made for, and where a distribution has them.
var shells = []struct{ name, file, installed string }{
	{"bash", "glovebox.bash", "/usr/share/bash-completion/completions/glovebox"},
	{"zsh", "_glovebox", "/usr/share/zsh/vendor-completions/_glovebox"},
	{"fish", "glovebox.fish", "/usr/share/fish/vendor_completions.d/glovebox.fish"},
	{"powershell", "glovebox.ps1", ""},
}

// papers are what the program writes about itself, the same for every target.
type papers struct {
	completions map[string][]byte // by shell
	manuals     []file            // pages of section 1
}

// write has the program, built for this machine, write its papers.
func (r *release) write() (p papers, err error) {
	binary, err := r.build(here())
	if err != nil {
		return p, err
	}
	manual := filepath.Join(r.work, "man1")
	p.completions = map[string][]byte{}
	for _, s := range shells {
		if p.completions[s.name], err = exec.Command(binary, "completion", s.name).Output(); err != nil {
			return p, fmt.Errorf("glovebox completion %s: %w", s.name, err)
		}
	}
	if out, err := exec.Command(binary, "man", manual).CombinedOutput(); err != nil {
		return p, fmt.Errorf("glovebox man: %w\n%s", err, out)
	}
	pages, err := os.ReadDir(manual)
	if err != nil {
		return p, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(manual, page.Name()))
		if err != nil {
			return p, err
		}
		p.manuals = append(p.manuals, file{page.Name(), 0o644, text})
	}
	return p, nil
}

// share is what an archive holds of them: completions and manual in folders of their own,
// and for macOS the description of a service.
func (p papers) share(t target) (all []file) {
	for _, s := range shells {
		all = append(all, file{"completions/" + s.file, 0o644, p.completions[s.name]})
	}
	if t.os == "windows" {
		return all // there is no man
	}
	for _, m := range p.manuals {
		all = append(all, file{"man/man1/" + m.name, m.mode, m.text})
	}
	if t.os == "darwin" {
		all = append(all, file{"launchd/run.glovebox.serve.plist", 0o644, plist})
	}
	return all
}

// installed is what a package puts where a distribution looks for it, with whole names.
func (p papers) installed() (all []file, err error) {
	for _, s := range shells {
		if s.installed != "" {
			all = append(all, file{s.installed, 0o644, p.completions[s.name]})
		}
	}
	for _, m := range p.manuals {
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(m.text); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		all = append(all, file{path.Join("/usr/share/man/man1", m.name+".gz"), m.mode, packed.Bytes()})
	}
	return all, nil
}
