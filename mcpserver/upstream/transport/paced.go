package transport

import (
	"bytes"
	"io"
	"time"
)

// paced watches how long a line takes to arrive.
type paced struct {
	in    io.Reader
	late  func()
	timer *time.Timer // nil until a line arrives in pieces
	open  bool        // a line has begun
}

// newPaced calls late when a line has not ended within [MessageTime] of its beginning;
// late must end the reading.
func newPaced(in io.Reader, late func()) *paced {
	return &paced{in: in, late: late}
}

func (p *paced) Read(to []byte) (int, error) {
	n, err := p.in.Read(to)
	if n > 0 {
		last := bytes.LastIndexByte(to[:n], '\n')
		switch {
		case last == n-1:
			p.stop()
			p.open = false
		case last >= 0 || !p.open:
			p.open = true
			if p.timer == nil {
				p.timer = time.AfterFunc(MessageTime, p.late)
			} else {
				p.timer.Reset(MessageTime)
			}
		}
	}
	return n, err
}

func (p *paced) stop() {
	if p.timer != nil {
		p.timer.Stop()
	}
}
