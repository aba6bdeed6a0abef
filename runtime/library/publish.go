package library

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/glovebox-run/glovebox/catalog"
)

// Tool is a spec with its publication state: whether it may be published, and why not.
type Tool struct {
	Entry
	State     catalog.State
	Integrity catalog.Integrity
	// Problems are clashes with other specs; a tool with any is not published.
	Problems catalog.Problems
	// Overruled says which of two specs of one name counts, if not this one: an own one and
	// one that the cluster shares.
	Overruled string
	// Missing are the required variables that are not set.
	Missing []string
	// Changed is the file of signed passes in which the tool passed with other content.
	Changed string
}

// Published reports whether models are offered the tool.
func (t Tool) Published() bool {
	return t.State.Published() && t.Integrity.Exposed() && t.Problems.Err() == nil && t.Overruled == "" && !t.Hidden
}

// Why explains why models are not offered the tool, and what the operator can do.
func (t Tool) Why() string {
	switch {
	case t.Problems.Err() != nil:
		return t.Problems.Err().Error()
	case t.Overruled != "":
		return t.Overruled
	case !t.Integrity.Exposed():
		return "its content is not what was pinned"
	case t.State == catalog.MissingRequirements:
		return "not set: " + strings.Join(t.Missing, ", ")
	case t.State == catalog.Draft && t.Spec.Draft():
		return "a draft; run glovebox test --write on it"
	case t.State == catalog.Draft && t.Changed != "":
		return fmt.Sprintf("no draft, but its content is not what passed in %s; run glovebox test --sign on it where it was signed, or glovebox test %s here", t.Changed, t.File)
	case t.State == catalog.Draft:
		return "no draft, but this content has no Local Pass here; run glovebox test " + t.File
	case t.Hidden:
		return "toolMcpServerSetting of its bundle does not expose it"
	}
	return fmt.Sprintf("its state is %v", t.State)
}

// Tools computes the current state of every spec. A builtin spec has passed when it
// matches its pin; any other needs a record in passes, or a signed one that came with it.
func (l *Library) Tools(passes *Passes, pins catalog.Pins, lookup catalog.Lookup) []Tool {
	entries, came, now := l.Entries(), l.arrived(), l.kept.now()
	tools := make([]Tool, len(entries))
	for i, e := range entries {
		t := Tool{Entry: e, Integrity: catalog.Unpinned}
		passed := false
		if e.Origin == Builtin {
			t.Integrity = pins.Check(e.Spec)
			passed = t.Integrity == catalog.Pristine
		} else {
			passed = passes != nil && passes.Has(e.Spec.Hash()) || came.has(e.Spec.Hash(), now)
			if !passed {
				t.Changed = came.tools[e.Spec.Name()]
			}
		}
		if t.State = e.Spec.State(passed, lookup); t.State == catalog.MissingRequirements {
			t.Missing = unset(e.Spec, lookup)
		}
		tools[i] = t
	}
	together(tools, l.overrule(tools))
	return tools
}

// overrule decides between an own spec and a shared one of the same name or toolId, and
// returns which of them do not count. All servers of a cluster serve what is shared, so an
// own one that was edited waits until it is published; but what is shared and would not be
// served, such as one without a pass, takes nothing away.
func (l *Library) overrule(tools []Tool) map[int]bool {
	shared := map[string]int{} // by name and by toolId
	for i, t := range tools {
		if l.isShared(t.Entry) {
			shared["name "+t.Spec.Name()], shared["id "+t.Spec.ToolID()] = i, i
		}
	}
	out := map[int]bool{}
	for i := range tools {
		own := &tools[i]
		if own.Origin == Builtin || l.isShared(own.Entry) {
			continue
		}
		for _, key := range []string{"name " + own.Spec.Name(), "id " + own.Spec.ToolID()} {
			n, both := shared[key]
			switch {
			case !both:
			case tools[n].Published():
				out[i] = true
				if !own.Spec.Draft() {
					own.Overruled = "the cluster shares a tool of this name with other content, which is served; publish this one, or withdraw what is published"
				}
			case own.Published():
				out[n] = true
				tools[n].Overruled = "the server has a tool of this name of its own, and this one may not be served: " + tools[n].Why()
			}
		}
	}
	return out
}

func (l *Library) isShared(e Entry) bool {
	return l.config.Shared != "" && filepath.Dir(e.File) == l.config.Shared
}

// together finds clashes between the specs that count.
func together(tools []Tool, without map[int]bool) {
	var files []catalog.File
	var of []*Tool
	for i := range tools {
		if !without[i] {
			files = append(files, catalog.File{Name: tools[i].name(), Spec: tools[i].Spec})
			of = append(of, &tools[i])
		}
	}
	for i, clashes := range catalog.CheckTogether(files) {
		of[i].Problems = clashes
	}
}

func (l *Library) arrived() travelling {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.came
}

// name is what messages call an entry.
func (e Entry) name() string {
	if e.File != "" {
		return e.File
	}
	return "builtin " + e.Spec.Name()
}

func unset(spec *catalog.Spec, lookup catalog.Lookup) []string {
	var names []string
	for _, name := range spec.Requirements() {
		if value, ok := catalog.FirstOf(lookup)(name); !ok || value == "" {
			names = append(names, name)
		}
	}
	return names
}
