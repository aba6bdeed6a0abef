package catalog

import _ "embed"

//go:embed starter.json
var starterText []byte

// Starter returns a spec to begin with: a small tool that works, with a note above
// every field. JSON has no comments, so the notes are fields with a vendor prefix,
// which the format allows and readers ignore.
func Starter(name string) (*Spec, Problems) {
	spec, problems := Parse(starterText)
	if len(problems) > 0 {
		return nil, problems
	}
	return spec.With("name", name)
}
