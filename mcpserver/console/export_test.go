package console

import "github.com/glovebox-run/glovebox/mcpserver/exposure"

// Addresses returns the addresses of all acts, and of all pages.
func Addresses() (toDo, toSee []string) {
	for _, a := range acts {
		toDo = append(toDo, a.path)
	}
	for _, p := range pages {
		toSee = append(toSee, p.path)
	}
	return toDo, toSee
}

// ListensAt returns the address that the console listens on.
func (c *Console) ListensAt() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// WayOf is what the pages say about a withheld tool.
func WayOf(c *Console, w exposure.Withheld) wayOut { return c.wayOf(w) }
