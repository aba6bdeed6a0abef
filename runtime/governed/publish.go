package governed

import (
	"fmt"
	"sync/atomic"
)

// Published are the tools that clients see; the zero value has none. It is safe for
// concurrent use.
type Published struct {
	byName atomic.Pointer[map[string]Tool]
}

// Clash is a tool that was not published because another one has its name.
type Clash struct {
	Name   string
	Source string // the source whose tool was refused
	Holder string // the source whose tool keeps the name
}

// Why explains the clash in one sentence, without the name.
func (c Clash) Why() string {
	return fmt.Sprintf("the source %q cannot publish it: the name belongs to a tool of the source %q", c.Source, c.Holder)
}

// Set replaces all tools at once. Of several with one name the first is published.
func (p *Published) Set(tools []Tool) (clashes []Clash) {
	byName := make(map[string]Tool, len(tools))
	for _, tool := range tools {
		about := tool.About()
		if holder := byName[about.Name]; holder != nil {
			clashes = append(clashes, Clash{about.Name, about.Source, holder.About().Source})
			continue
		}
		byName[about.Name] = tool
	}
	p.byName.Store(&byName)
	return clashes
}

// Find returns the tool with a name, or nil.
func (p *Published) Find(name string) Tool {
	if tools := p.byName.Load(); tools != nil {
		return (*tools)[name]
	}
	return nil
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
	if tools := p.byName.Load(); tools != nil {
		return len(*tools)
	}
	return 0
}
