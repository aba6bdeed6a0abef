package catalog

import (
	_ "embed"
	"slices"
)

//go:embed safe-tool-spec.schema.json
var schemaText []byte

// Schema returns the JSON Schema (2020-12) of a Safe Tool Spec. It states every
// rule whose InSchema is set, and a test holds the two equal. [Parse] does not use
// it: a schema cannot report line and column, or what to do.
func Schema() []byte { return slices.Clone(schemaText) }
