package runtime

import (
	"fmt"
	"os"

	"github.com/hashicorp/go-envparse"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/internal/osfile"
)

// ReadSecrets reads an operator's file of NAME=value lines, the format of shells and
// containers. It refuses a file that others can read: that is no place for a secret.
func ReadSecrets(path string) (catalog.Lookup, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	if err := osfile.Private(path, info); err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	values, err := envparse.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("secrets: %s: %w", path, err)
	}
	return func(name string) (string, bool) {
		value, ok := values[name]
		return value, ok
	}, nil
}
