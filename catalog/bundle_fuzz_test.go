package catalog_test

import (
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
)

// FuzzParseBundle: a bundle is somebody else's file. Each spec that is read out of one
// is read alone as well, with the same hash.
func FuzzParseBundle(f *testing.F) {
	f.Add([]byte(`{"toolSpecs":[{"name":"a","description":"A.","code":"return 1;","codeType":"Javascript"}],"toolMcpServerSetting":{"enabledTools":["a"]}}`))
	f.Add([]byte(`{"toolSpecs":[{},null,7,{"name":"a"}],"other":1}`))
	f.Add([]byte(`{"toolSpecs":{"a":1}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, problems := catalog.ParseBundle(text)
		for _, p := range problems {
			if p.Message == "" {
				t.Errorf("a problem without words: %+v", p)
			}
		}
		for _, spec := range b.Specs {
			again, problems := catalog.Parse(spec.Raw())
			if err := problems.Err(); err != nil {
				t.Fatalf("%s: read from the bundle, and not alone: %v", spec.Raw(), err)
			}
			if again.Hash() != spec.Hash() {
				t.Errorf("%s: %v and %v", spec.Raw(), again.Hash(), spec.Hash())
			}
		}
	})
}
