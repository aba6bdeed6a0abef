package governed

import (
	"fmt"
	"sync"
)

// Published are the tools that clients see. Each source replaces only its own tools. A
// name belongs to the source that published it first; the zero value has no tools. It
// is safe for concurrent use.
type Published struct {
	mu     sync.RWMutex
	byName map[string]Tool
}

// Clash is a tool that was not published because another source has its name.
type Clash struct {
	Name   string
	Source string // the source whose tool was refused
	Holder string // the source whose tool keeps the name
}

// Why explains the clash in one sentence, without the name.
func (c Clash) Why() string {
	return fmt.Sprintf("the source %q cannot publish it: the name belongs to a tool of the source %q", c.Source, c.Holder)
}

// Change is what a replacement changed.
type Change struct {
	Added   []Tool   // new, or in another version
	Removed []string // names
	Clashes []Clash
}

// Replace replaces all tools of a source at once. Every tool must be of that source. Of
// two tools with one name the first counts.
func (p *Published) Replace(source string, tools []Tool) Change {
	p.mu.Lock()
	defer p.mu.Unlock()
	var change Change
	kept := map[string]bool{}
	next := make(map[string]Tool, len(tools))
	for name, tool := range p.byName {
		next[name] = tool
	}
	for _, tool := range tools {
		about := tool.About()
		holder := next[about.Name]
		switch {
		case about.Source != source:
			change.Clashes = append(change.Clashes, Clash{about.Name, about.Source, source})
			continue
		case holder != nil && holder.About().Source != source, kept[about.Name]:
			change.Clashes = append(change.Clashes, Clash{about.Name, source, holder.About().Source})
			continue
		}
		kept[about.Name] = true
		if holder != tool {
			change.Added = append(change.Added, tool)
			next[about.Name] = tool
		}
	}
	for name, tool := range p.byName {
		if tool.About().Source == source && !kept[name] {
			change.Removed = append(change.Removed, name)
			delete(next, name)
		}
	}
	p.byName = next
	return change
}

// Find returns the tool with a name, or nil.
func (p *Published) Find(name string) Tool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byName[name]
}

// Of returns the tool of a source with a name, or nil.
func (p *Published) Of(source, name string) Tool {
	if tool := p.Find(name); tool != nil && tool.About().Source == source {
		return tool
	}
	return nil
}

// Len returns how many tools are published.
func (p *Published) Len() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.byName)
}
