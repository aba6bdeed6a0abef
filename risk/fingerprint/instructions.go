package fingerprint

import (
	"fmt"

	"github.com/glovebox-run/glovebox/risk/poison"
)

// Instructions returns a scan for [Compare]: the places in a definition that the
// poisoning scanner's default policy acts on, each with its text. A reworded
// instruction counts as a new one. names may be nil.
func Instructions(names *poison.Names) func(tool []byte) []string {
	return func(tool []byte) []string {
		report, err := poison.Scan(tool, names)
		if err != nil {
			// What the scanner cannot read must not pass as harmless.
			return []string{"the definition cannot be scanned: " + err.Error()}
		}
		var found []string
		for _, f := range report.Findings {
			if f.Confidence >= poison.Medium {
				found = append(found, fmt.Sprintf("%s at %s: %s", f.Class, f.Pointer, f.Text))
			}
		}
		return found
	}
}
