package wire

import (
	"bufio"
	"errors"
	"io"
)

// maxPlain is the size in bytes up to which a line is read without asking Room.
const maxPlain = 64 << 10

// Lines reads messages, one a line.
type Lines struct {
	in   *bufio.Reader
	most int
	rest bool // the rest of a line is still unread
	// Room is called before a line is read beyond 64 KiB, and may wait; an error
	// ends the input. nil means no check.
	Room func() error
}

// Line is a line with its line end, or a part of an overlong one.
type Line struct {
	Text        []byte
	First, Last bool // part of the line
}

// Whole reports whether l is a complete line.
func (l Line) Whole() bool { return l.First && l.Last }

// NewLines reads lines of at most about most bytes, give or take one buffer.
func NewLines(in io.Reader, most int) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, maxPlain), most: most}
}

// Next reads one line. It may return a line and an error together.
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
