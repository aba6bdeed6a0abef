package jsengine

import "github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"

// Line is one line of a call's console.
type Line struct {
	Level string // log, info, warn, error, debug
	Text  string
}

// console collects what a call prints.
type console struct {
	lines   []Line
	bytes   int
	dropped int
	printed func(Line) // receives each line that is kept; may be nil
}

func (i *instance) log(level, text jsvalue.Value) {
	c, l := i.run.console, &i.run.limits
	if len(c.lines) >= l.ConsoleLines || c.bytes >= l.ConsoleBytes {
		c.dropped++
		return
	}
	if !level.IsString() || !text.IsString() {
		return
	}
	name, known := i.appendText(nil, level, 16)
	line, fits := i.appendText(nil, text, l.ConsoleBytes-c.bytes)
	if !known || !fits {
		c.dropped++
		return
	}
	c.bytes += len(line)
	one := Line{Level: string(name), Text: string(line)}
	c.lines = append(c.lines, one)
	if c.printed != nil {
		c.printed(one)
	}
}
