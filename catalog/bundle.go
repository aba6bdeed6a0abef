package catalog

import (
	"bytes"
	"slices"

	"github.com/glovebox-run/glovebox/catalog/internal/source"
)

// MaxBundleBytes is the size of the largest bundle that is read: a few hundred
// specs of usual size take single megabytes.
const MaxBundleBytes = 64 << 20

// Bundle is a file with many specs and the settings of the server that offers
// them, in the form the reference stores.
type Bundle struct {
	// Specs are the documents without problems, in order.
	Specs []*Spec
	// Server is nil when the bundle has no such settings.
	Server *ServerSetting
	// Ignored lists members that mean nothing here, as JSON pointers.
	Ignored []string
}

// ServerSetting is the bundle's toolMcpServerSetting.
type ServerSetting struct {
	AutoAdd         bool     // offer every tool of the bundle; true when absent
	ExposedToolIDs  []string // the tools that are offered without it
	ExcludedToolIDs []string // the tools that are never offered
}

// Exposes reports whether the settings offer a tool to clients. A bundle without
// settings offers all it has.
func (s *ServerSetting) Exposes(toolID string) bool {
	if s == nil {
		return true
	}
	return (s.AutoAdd || slices.Contains(s.ExposedToolIDs, toolID)) && !slices.Contains(s.ExcludedToolIDs, toolID)
}

// IsBundle reports whether a text looks like a bundle rather than a spec: an
// object with toolSpecs and without code.
func IsBundle(data []byte) bool {
	root, syntax := source.Open(data)
	if syntax != nil {
		return false
	}
	found, code := false, false
	for name := range root.Members() {
		key, _ := name.Text()
		found = found || key == "toolSpecs"
		code = code || key == "code"
	}
	return found && !code
}

// ParseBundle reads a bundle. A spec with problems is left out and the others are
// kept, so one bad tool does not cost the user the rest; the problems say which
// spec and where, with pointers from the bundle's root.
func ParseBundle(data []byte) (Bundle, Problems) {
	var b Bundle
	r := &reader{report: report{text: data}}
	if len(data) > MaxBundleBytes {
		r.add(ruleTooLarge, "", MaxBundleBytes, "the bundle has %d bytes; one has at most %d", len(data), MaxBundleBytes)
		return b, r.done()
	}
	r.text = bytes.Clone(data)
	root, syntax := source.Open(r.text)
	if syntax != nil {
		r.add(ruleSyntax, "", syntax.Offset, "%s", syntax.Message)
		return b, r.done()
	}
	r.object(root, "", true, []field{
		{"toolSpecs", true, r.each(func(v source.Value, pointer string) { r.bundled(&b, v, pointer) })},
		{"toolMcpServerSetting", false, func(v source.Value, pointer string) {
			b.Server = &ServerSetting{AutoAdd: true}
			r.object(v, pointer, true, b.Server.shape(r))
			b.ignore(pointer, unknownMembers(v, b.Server.shape(r)))
		}},
	})
	b.ignore("", unknownMembers(root, []field{{name: "toolSpecs"}, {name: "toolMcpServerSetting"}}))
	return b, r.done()
}

func (b *Bundle) ignore(pointer string, names []string) {
	for _, name := range names {
		b.Ignored = append(b.Ignored, pointer+"/"+EscapePointer(name))
	}
}

func (s *ServerSetting) shape(r *reader) []field {
	return []field{
		{"autoAdd", false, r.boolean(&s.AutoAdd)},
		{"exposedToolIds", false, r.list(&s.ExposedToolIDs)},
		{"excludedToolIds", false, r.list(&s.ExcludedToolIDs)},
	}
}

// bundled reads one spec and moves its problems to their place in the bundle.
func (r *reader) bundled(b *Bundle, v source.Value, pointer string) {
	spec, problems := Parse(v.Raw())
	if spec != nil {
		spec.within = &within{r.text, v.Start(), pointer}
		b.Specs = append(b.Specs, spec)
	}
	for _, p := range problems {
		if len(r.problems) >= maxProblems {
			r.full = true
			return
		}
		p.Pointer = pointer + p.Pointer
		p.offset += v.Start()
		r.problems = append(r.problems, p)
	}
}
