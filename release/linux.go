package main

import (
	"bytes"
	"embed"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

//go:embed glovebox.service
var unit []byte

//go:embed glovebox.socket
var socket []byte

//go:embed *.sh
var scripts embed.FS

// packages writes the deb and the rpm of a target: the binary, its papers, and units for
// systemd that start nothing by themselves. An upgrade restarts what runs.
func (r *release) packages(t target, binary string, licences []byte) error {
	work := filepath.Join(filepath.Dir(binary), "package")
	contents, err := r.contents(work, binary, licences)
	if err != nil {
		return err
	}
	run := nfpm.Scripts{PostInstall: filepath.Join(work, "installed.sh"), PreRemove: filepath.Join(work, "remove.sh"), PostRemove: filepath.Join(work, "removed.sh")}
	for _, script := range []string{run.PostInstall, run.PreRemove, run.PostRemove} {
		text, err := scripts.ReadFile(filepath.Base(script))
		if err != nil {
			return err
		}
		if err := os.WriteFile(script, text, 0o755); err != nil {
			return err
		}
	}
	for _, format := range []string{"deb", "rpm"} {
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "glovebox", Arch: t.arch, Platform: "linux", Version: r.version, Section: "net", Priority: "optional", Maintainer: "The Glovebox authors <noreply@glovebox.run>",
			Description: "Runs other people's tools in a sealed and metered box.", Homepage: "https://github.com/glovebox-run/glovebox", License: "Apache-2.0", MTime: r.time,
			Overridables: nfpm.Overridables{Contents: contents, Scripts: run, RPM: nfpm.RPM{BuildHost: "glovebox.invalid"}},
		})
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return err
		}
		out, err := os.Create(filepath.Join(r.out, r.name(t)+"."+format))
		if err != nil {
			return err
		}
		if err := packager.Package(info, out); err != nil {
			out.Close()
			return fmt.Errorf("%s: %w", format, err)
		}
		if err := out.Close(); err != nil {
			return err
		}
	}
	return nil
}

// contents are the files of a package. The packager reads them from disk, so they are
// written to work.
func (r *release) contents(work, binary string, licences []byte) (all nfpmfiles.Contents, err error) {
	files, err := r.papers.installed()
	if err != nil {
		return nil, err
	}
	files = append(files,
		file{"/usr/lib/systemd/system/glovebox.service", 0o644, unit},
		file{"/usr/lib/systemd/system/glovebox.socket", 0o644, socket},
		file{"/usr/share/doc/glovebox/THIRD_PARTY_LICENSES", 0o644, licences})
	for _, name := range []string{"LICENSE", "NOTICE"} {
		text, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"/usr/share/doc/glovebox/" + name, 0o644, text})
	}
	add := func(source, destination string, mode int64) {
		all = append(all, &nfpmfiles.Content{Source: source, Destination: destination, FileInfo: &nfpmfiles.ContentFileInfo{Mode: os.FileMode(mode), MTime: r.time, Owner: "root", Group: "root"}})
	}
	add(binary, "/usr/bin/glovebox", 0o755)
	for _, f := range files {
		source := filepath.Join(work, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(source, f.text, 0o644); err != nil {
			return nil, err
		}
		add(source, f.name, f.mode)
	}
	return all, nil
}

// nobody is the user and group of the image: all that it owns is the state folder.
const nobody = 65532

// state is the folder of an image that a volume is put over. A new volume takes its owner
// and mode.
const state = "state/"

// roots are the certificate authorities that Mozilla trusts without conditions, as PEM. An
// image has no system that brings them.
func roots() []byte {
	var all bytes.Buffer
	for r := range bundle.Roots() {
		if r.Constraint == nil {
			pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate})
		}
	}
	return all.Bytes()
}

// image writes a container image as a tarball that docker load and podman load read:
// the binary, its papers, authorities for TLS, and an empty state folder, under a user
// without rights.
func (r *release) image(t target, binary string, licences []byte) error {
	all, err := r.files(binary, licences)
	if err != nil {
		return err
	}
	all = append(all, file{"etc/ssl/certs/ca-certificates.crt", 0o644, roots()}, file{state, 0o700, nil}, file{"tmp/", 0o1777, nil})
	var layer bytes.Buffer
	if err := r.tarball(&layer, "", all); err != nil {
		return err
	}
	made, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(layer.Bytes())), nil })
	if err != nil {
		return err
	}
	image, err := mutate.AppendLayers(empty.Image, made)
	if err != nil {
		return err
	}
	configured, err := image.ConfigFile()
	if err != nil {
		return err
	}
	configured = configured.DeepCopy()
	configured.OS, configured.Architecture, configured.Created = "linux", t.arch, v1.Time{Time: r.time}
	configured.Config = v1.Config{
		User: fmt.Sprintf("%d:%[1]d", nobody), Entrypoint: []string{"/glovebox"}, Cmd: []string{"serve", "--stdio"},
		// A first start links the guest.
		Healthcheck: &v1.HealthConfig{Test: []string{"CMD", "/glovebox", "health"}, Interval: 30 * time.Second, Timeout: 15 * time.Second, StartPeriod: time.Minute, Retries: 3},
		// Nothing else is written, so the root may be read-only.
		Env:     []string{"HOME=/state", "XDG_STATE_HOME=/state", "XDG_CACHE_HOME=/state/cache"},
		Volumes: map[string]struct{}{"/state": {}},
		Labels:  map[string]string{"org.opencontainers.image.source": "https://github.com/glovebox-run/glovebox", "org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": "Apache-2.0"},
	}
	if image, err = mutate.ConfigFile(image, configured); err != nil {
		return err
	}
	tag, err := name.NewTag("glovebox:" + strings.TrimPrefix(r.version, "v"))
	if err != nil {
		return err
	}
	return tarball.WriteToFile(filepath.Join(r.out, r.name(t)+"_image.tar"), tag, image)
}
