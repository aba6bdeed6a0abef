package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers the format
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers the format
)

//go:embed glovebox.service
var unit []byte

// packages writes the deb and the rpm of a target: the binary, its papers, and a unit for
// systemd that starts nothing by itself.
func (r *release) packages(t target, binary string, licences []byte) error {
	papers := filepath.Join(filepath.Dir(binary), "THIRD_PARTY_LICENSES")
	service := filepath.Join(filepath.Dir(binary), "glovebox.service")
	if err := os.WriteFile(papers, licences, 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(service, unit, 0o644); err != nil {
		return err
	}
	contents := nfpmfiles.Contents{}
	for _, f := range []struct {
		from, to string
		mode     os.FileMode
	}{
		{binary, "/usr/bin/glovebox", 0o755},
		{service, "/usr/lib/systemd/system/glovebox.service", 0o644},
		{filepath.Join(r.root, "LICENSE"), "/usr/share/doc/glovebox/LICENSE", 0o644},
		{filepath.Join(r.root, "NOTICE"), "/usr/share/doc/glovebox/NOTICE", 0o644},
		{papers, "/usr/share/doc/glovebox/THIRD_PARTY_LICENSES", 0o644},
	} {
		contents = append(contents, &nfpmfiles.Content{Source: f.from, Destination: f.to, FileInfo: &nfpmfiles.ContentFileInfo{Mode: f.mode, MTime: r.time, Owner: "root", Group: "root"}})
	}
	for _, format := range []string{"deb", "rpm"} {
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "glovebox", Arch: t.arch, Platform: "linux", Version: r.version, Section: "net", Priority: "optional", Maintainer: "The Glovebox authors <noreply@glovebox.run>",
			Description: "Runs other people's tools in a sealed and metered box.", Homepage: "https://github.com/glovebox-run/glovebox", License: "Apache-2.0", MTime: r.time,
			Overridables: nfpm.Overridables{Contents: contents, RPM: nfpm.RPM{BuildHost: "glovebox.invalid"}},
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

// nobody is the user of the image: it owns nothing but the state folder.
const nobody = "65532:65532"

// image writes a container image as a tarball that docker load and podman load read:
// the binary, its papers, and an empty state folder, under a user without rights.
func (r *release) image(t target, binary string, licences []byte) error {
	all, err := r.files(binary, licences)
	if err != nil {
		return err
	}
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
		User: nobody, Entrypoint: []string{"/glovebox"}, Cmd: []string{"serve", "--stdio"},
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
