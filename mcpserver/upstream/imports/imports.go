// Package imports reads MCP servers out of files that were written for other
// programs: the configurations of MCP clients, the registry's server.json and .mcpb
// bundles.
//
//	Reader      reads a configuration of a known client, any such file, a server.json
//	OpenBundle  a .mcpb bundle, which Unpack writes to a folder
//	Found       one server, the values it still needs, and what could not be taken over
//
// It starts nothing, contacts nothing and looks up no variable. A value that looks
// like a secret is not in the result's configuration: a ${NAME} takes its place, and
// the value is beside it in a type that does not print itself.
package imports

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/editors"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/egress/rules"
)

// Found is a server that a file describes.
type Found struct {
	upstream.Config
	// Called is its name in the file.
	Called string `json:"called"`
	// Variables are what the configuration refers to as ${NAME}, in order of
	// appearance.
	Variables []Variable `json:"variables,omitempty"`
	// Notes say what was not taken over, and what a person should know.
	Notes []string `json:"notes,omitempty"`
}

// Variable is a value that the configuration refers to by its name.
type Variable struct {
	Name string `json:"name"`
	// For says what it is for.
	For string `json:"for"`
	// Value is what the file holds there; empty if the file names the variable only.
	Value Secret `json:"-"`
}

// Secret is a text that shows itself nowhere but in Reveal.
type Secret struct{ text string }

// Reveal returns the text.
func (s Secret) Reveal() string { return s.text }

// Format writes stars, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("***")) }

// MarshalJSON writes stars.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"***"`), nil }

// Left is a server that a file describes and that was not taken over.
type Left struct {
	Called string `json:"called"`
	Why    string `json:"why"`
}

// Read is what a file holds.
type Read struct {
	Found []Found `json:"found"`
	Left  []Left  `json:"left,omitempty"`
}

// Reader reads files. It is safe for concurrent use.
type Reader struct {
	home     string
	detector *egress.Sanitiser
}

// NewReader makes a reader that knows a secret by the rules that clean the results
// of tools, and by its name. home is the folder that takes the place of ${HOME}.
func NewReader(home string) (*Reader, error) {
	engine, err := egress.NewEngine(rules.Builtin())
	if err != nil {
		return nil, err
	}
	return &Reader{home, egress.New(engine, egress.DefaultPolicy())}, nil
}

// Client reads the configuration of a client.
func (r *Reader) Client(c editors.Client, text []byte) (Read, error) {
	listing, err := c.List(text)
	if err != nil {
		return Read{}, err
	}
	return r.listing(listing, dialect{client: c.ID}), nil
}

// File reads a configuration of any client, or a server.json. The name tells the
// language and the folder that a project's configuration is for.
func (r *Reader) File(name string, text []byte) (Read, error) {
	if isRegistry(text) {
		return r.registry(text)
	}
	listing, err := editors.ListFile(name, text)
	if err != nil {
		return Read{}, fmt.Errorf("%s: %w", name, err)
	}
	d := dialect{project: filepath.Dir(name)}
	if base := filepath.Base(d.project); strings.HasPrefix(base, ".") && base != "." && base != ".." {
		d.project = filepath.Dir(d.project) // .vscode, .cursor and the like
	}
	return r.listing(listing, d), nil
}

// dialect is what only some clients mean.
type dialect struct {
	client  string // an id of package editors; empty if it is not known
	project string // the folder that ${workspaceFolder} is; empty if there is none
}

func (r *Reader) listing(l editors.Listing, d dialect) Read {
	var read Read
	for _, listed := range l.Servers {
		mine := d
		if listed.Project != "" {
			mine.project = listed.Project
		}
		d := r.draft(listed.Name, mine)
		d.inputs = l.Inputs
		if listed.Project != "" {
			d.found.Dir = listed.Project
		}
		d.entry(gjson.ParseBytes(listed.Entry))
		read.add(d.done())
	}
	return read
}

// add keeps a server under a name that no other of this file has.
func (r *Read) add(f Found, err error) {
	if err != nil {
		r.Left = append(r.Left, Left{f.Called, err.Error()})
		return
	}
	plain := f.Name
	for n := 2; slices.ContainsFunc(r.Found, func(o Found) bool { return o.Name == f.Name }); n++ {
		end := "-" + strconv.Itoa(n)
		f.Name = plain[:min(len(plain), maxName-len(end))] + end
	}
	r.Found = append(r.Found, f)
}

const (
	// maxName bounds the name of a server, in bytes: a DNS label.
	maxName = 63
	// maxItems bounds arguments, variables and headers of one server. A thousand
	// arguments are more than any program documents.
	maxItems = 1000
	// maxValue bounds one argument, variable or header, in bytes. Linux takes no
	// longer argument than 128 KiB.
	maxValue = 64 << 10
)

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// nameOf makes a name of what a file calls a server: lower-case letters, digits and
// hyphens.
func nameOf(called string) string {
	name := strings.Trim(notInName.ReplaceAllString(strings.ToLower(called), "-"), "-")
	name = strings.TrimRight(name[:min(len(name), maxName)], "-")
	if name == "" {
		return "server"
	}
	return name
}

var errTooMuch = errors.New("it has more than any server needs")
