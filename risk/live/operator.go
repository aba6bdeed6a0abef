package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/live/order"
)

// MaxFile is how large an operator's file may be, in bytes: 10,000 tools have 8 MB.
const MaxFile = 16 << 20

// File is what an operator says about tools, the file of "glovebox labels init".
type File struct {
	About   string                `json:"about,omitempty"`
	Format  int                   `json:"format"`
	Servers map[string]FileServer `json:"servers"`
}

// FileServer is what an operator says about one server.
type FileServer struct {
	// Trusted servers label their own results; labels of others only make things worse.
	Trusted bool                `json:"trusted_server,omitempty"`
	Tools   map[string]FileTool `json:"tools"`
}

// FileTool is what an operator says about one tool. Words are those of the constants
// beside them.
type FileTool struct {
	Access     string            `json:"access"` // read, write
	Result     FileLabel         `json:"result"`
	Sink       string            `json:"sink"` // none, internal, external, exec
	Reversible *bool             `json:"reversible,omitempty"`
	Roles      map[string]string `json:"argument_roles,omitempty"` // destination, payload, credential, selector
}

// FileLabel is the label of what a tool returns.
type FileLabel struct {
	Integrity       string `json:"integrity"`       // trusted, untrusted
	Confidentiality string `json:"confidentiality"` // public, private, secret
}

// ParseFile reads an operator's file. It reports every mistake at once; a misspelt word
// must not become a label that nobody meant.
func ParseFile(text []byte) (*File, error) {
	if len(text) > MaxFile {
		return nil, fmt.Errorf("the file has %d bytes, at most %d are read", len(text), MaxFile)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var f File
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("the file is not one of labels: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something stands behind the end of the file")
	}
	var wrong []error
	if f.Format != 1 {
		wrong = append(wrong, fmt.Errorf("/format is %d, want 1", f.Format))
	}
	for _, server := range slices.Sorted(maps.Keys(f.Servers)) {
		for _, tool := range slices.Sorted(maps.Keys(f.Servers[server].Tools)) {
			if _, err := f.Servers[server].Tools[tool].profile(server, tool); err != nil {
				wrong = append(wrong, fmt.Errorf("/servers/%s/tools/%s%w", server, tool, err))
			}
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return &f, nil
}

// Profile returns what the file says about a tool; nil if it says nothing.
func (f *File) Profile(server, tool string) *Profile {
	if f == nil {
		return nil
	}
	s, ok := f.Servers[server]
	if !ok {
		return nil
	}
	t, ok := s.Tools[tool]
	if !ok {
		return nil
	}
	p, err := t.profile(server, tool)
	if err != nil {
		return nil
	}
	p.TrustedServer = s.Trusted
	return p
}

// Trusts reports whether the operator vouches for a server.
func (f *File) Trusts(server string) bool { return f != nil && f.Servers[server].Trusted }

func (t FileTool) profile(server, name string) (*Profile, error) {
	p := &Profile{Basis: Reviewed, Roles: make(map[string]Role, len(t.Roles)), deed: order.NewDeed(name, nil)}
	var err error
	one := func(field, word string, allowed ...string) int {
		i := slices.Index(allowed, word)
		if i < 0 && err == nil {
			err = fmt.Errorf("/%s is %q, want one of %q", field, word, allowed)
		}
		return max(i, 0)
	}
	p.Reads = one("access", t.Access, "read", "write") == 0
	p.Result.Untrusted = one("result/integrity", t.Result.Integrity, "trusted", "untrusted") == 1
	switch one("result/confidentiality", t.Result.Confidentiality, "public", "private", "secret") {
	case 2:
		p.Result.Secret = true
		fallthrough
	case 1:
		p.Result.Private, p.Result.Origins = true, []string{server}
	}
	p.Sink = capability.Sink(one("sink", t.Sink, "none", "internal", "external", "exec"))
	if t.Access == "write" && p.Sink == capability.NoSink && err == nil {
		err = errors.New(`/sink is "none", which a tool that writes cannot have`)
	}
	p.Reversible = p.Sink == capability.NoSink || t.Reversible != nil && *t.Reversible
	for argument, word := range t.Roles {
		p.Roles[argument] = Role(one("argument_roles/"+argument, word, roleNames[:]...))
	}
	return p, err
}

// File returns a profile in the form of the operator's file.
func (p *Profile) File() FileTool {
	word := func(is bool, yes, no string) string {
		if is {
			return yes
		}
		return no
	}
	t := FileTool{
		Access: word(p.Sink == capability.NoSink || p.Reads, "read", "write"), Sink: p.Sink.String(),
		Result: FileLabel{Integrity: word(p.Result.Untrusted, "untrusted", "trusted"), Confidentiality: word(p.Result.Secret, "secret", word(p.Result.Private, "private", "public"))},
	}
	if p.Sink != capability.NoSink {
		reversible := p.Reversible
		t.Reversible, t.Roles = &reversible, map[string]string{}
		for name, role := range p.Roles {
			t.Roles[name] = role.String()
		}
	}
	return t
}
