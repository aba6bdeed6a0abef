package live

import (
	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/live/order"
)

// Book holds the profiles of tools: the operator's file first, then what the
// definitions say. It is filled once and then only read.
type Book struct {
	file     *File
	profiles map[[2]string]*Profile
}

// NewBook returns a book; file may be nil.
func NewBook(file *File) *Book { return &Book{file: file, profiles: map[[2]string]*Profile{}} }

// Add reads the definition of a tool.
func (b *Book) Add(server string, d capability.Definition, hints Hints, trusted bool) {
	inferred := Infer(server, d, hints, trusted)
	p := b.file.Profile(server, d.Name)
	if p == nil {
		p = inferred
	} else {
		p.deed = inferred.deed // whoever asks for the tool knows its definition, not the file
		for name, role := range inferred.Roles {
			// A credential is a payload too; a file that says no more than that, or nothing,
			// is not against it.
			if said, ok := p.Roles[name]; role == Credential && (!ok || said == Payload) {
				p.Roles[name] = Credential
			}
		}
	}
	b.profiles[[2]string{server, d.Name}] = p
}

// Profile returns that of a tool, the worst for one that was never added.
func (b *Book) Profile(server, tool string) *Profile {
	if p := b.profiles[[2]string{server, tool}]; p != nil {
		return p
	}
	if p := b.file.Profile(server, tool); p != nil {
		p.deed = order.NewDeed(tool, nil)
		return p
	}
	return worst(tool)
}
