package wire

import (
	"bufio"
	"errors"
	"io"
)

// maxPlain is the size in bytes up to which a line needs nobody's leave.
const maxPlain = 64 << 10

// Lines reads messages that stand one a line.
type Lines struct {
	in   *bufio.Reader
	most int
	rest bool // of a line of which a part was returned
	// Room is asked before a line is read on beyond 64 KiB, and may wait; an error
	// ends the input. nil asks nobody.
	Room func() error
}

// Line is a line with its end, or a part of one that is longer than it may be.
type Line struct {
	Text        []byte
	First, Last bool // part of the line
}

// Whole reports whether it is all of a line.
func (l Line) Whole() bool { return l.First && l.Last }

// NewLines reads lines of at most so many bytes, give or take what is read at once.
func NewLines(in io.Reader, most int) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, maxPlain), most: most}
}

// Next reads one. A line and an error may come together.
func (l *Lines) Next() (line Line, err error) {
	line.First = !l.rest
	asked := l.rest || l.Room == nil
	for {
		var piece []byte
		piece, err = l.in.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if full && !asked {
			asked = true
			if err := l.Room(); err != nil {
				return Line{}, err
			}
		}
		line.Text = append(line.Text, piece...)
		if !full {
			break
		}
		if len(line.Text) >= l.most {
			l.rest = true
			return line, nil
		}
	}
	l.rest, line.Last = false, true
	return line, err
}
