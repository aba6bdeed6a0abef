package prelude

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// Function returns the file that installs one function of the embedding program
// under its dotted name, which is also the name of its host call. One that waits
// returns a promise.
func Function(name string, waits bool) File {
	source := callSource
	if waits {
		source = startSource
	}
	return File{Name: "function/" + name + ".js", Installs: []string{name}, Needs: []string{name}, Source: strings.ReplaceAll(source, "@name", name)}
}

var (
	//go:embed function/call.js
	callSource string
	//go:embed function/start.js
	startSource string
)

// Free reports whether a namespace is unused: no file installs anything in it.
func Free(files []File, namespace string) error {
	for _, f := range files {
		if slices.ContainsFunc(f.Installs, func(name string) bool {
			root, _, _ := strings.Cut(name, ".")
			return root == namespace
		}) {
			return fmt.Errorf("prelude: %s is what %s installs", namespace, f.Name)
		}
	}
	return nil
}
