package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

// schema is the version of CycloneDX that is written: the last whose schema is published
// whole with the library, so that a test validates it.
const schema = cyclonedx.SpecVersion1_6

// bill writes the SBOM of a target, in CycloneDX: the modules that its binary says are
// linked in, with their hashes.
func (r *release) bill(t target, linked []*debug.Module) error {
	b := cyclonedx.NewBOM()
	purl := "pkg:golang/github.com/glovebox-run/glovebox@" + r.version
	b.Metadata = &cyclonedx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cyclonedx.Component{BOMRef: purl, Type: cyclonedx.ComponentTypeApplication, Name: "glovebox", Version: r.version, PackageURL: purl},
	}
	components, refs := []cyclonedx.Component{}, []string{}
	for _, m := range linked {
		ref := "pkg:golang/" + m.Path + "@" + m.Version
		c := cyclonedx.Component{BOMRef: ref, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: ref}
		if hash, ok := strings.CutPrefix(m.Sum, "h1:"); ok {
			c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: "h1:" + hash}}
		}
		components, refs = append(components, c), append(refs, ref)
	}
	b.Components = &components
	b.Dependencies = &[]cyclonedx.Dependency{{Ref: purl, Dependencies: &refs}}
	out, err := os.Create(filepath.Join(r.out, r.name(t)+".cdx.json"))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(b, schema); err != nil {
		return err
	}
	return out.Close()
}
