package transport

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"golang.org/x/net/http/httpguts"
)

// event is one server-sent event.
type event struct {
	name string // "message" if the server named none
	data []byte
}

// maxEventID bounds the id of an event in bytes; it is sent back in a header.
const maxEventID = 1 << 10

var (
	errTooLarge = fmt.Errorf("a message is larger than %d MiB", MaxMessage>>20)
	errSlow     = fmt.Errorf("a message did not end within %v", MessageTime)
)

// buffers are the read buffers of streams that have ended.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 4<<10) }}

// events reads server-sent events. What is not an event of ours, such as a comment, is
// skipped without being kept.
type events struct {
	in    *bufio.Reader
	paced *paced
	began time.Time // of the event being read

	last  string        // the id of the last event that had one
	retry time.Duration // what the server wants between two attempts; 0: nothing
}

func newEvents(in io.Reader, late func()) *events {
	e := &events{in: buffers.Get().(*bufio.Reader), paced: newPaced(in, late)}
	e.in.Reset(e.paced)
	return e
}

// close gives the buffer back; nothing of an event is in it.
func (e *events) close() {
	e.paced.stop()
	e.in.Reset(nil)
	buffers.Put(e.in)
	e.in = nil
}

// next returns the next event that has data.
func (e *events) next() (event, error) {
	now := event{name: "message"}
	size, begun := 0, false
	for {
		field, value, err := e.field(&size)
		if err != nil {
			return event{}, err
		}
		if !begun {
			begun, e.began = true, time.Now()
		} else if time.Since(e.began) > MessageTime {
			return event{}, errSlow
		}
		switch field {
		case "": // an empty line, or a comment
			if value != nil {
				continue
			}
			if now.data != nil {
				now.data = bytes.TrimSuffix(now.data, newline)
				return now, nil
			}
			now, size, begun = event{name: "message"}, 0, false
		case "event":
			now.name = string(value)
		case "data":
			if now.data == nil {
				now.data = make([]byte, 0, len(value)+1)
			}
			now.data = append(append(now.data, value...), '\n')
		case "id":
			if id := string(value); len(id) <= maxEventID && httpguts.ValidHeaderFieldValue(id) {
				e.last = id
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 32); err == nil {
				e.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

var (
	newline = []byte{'\n'}
	fields  = []string{"data", "event", "id", "retry"}
)

// field reads one line. A comment has no name and a value; an empty line has neither.
// The value is valid until the next call.
func (e *events) field(size *int) (name string, value []byte, err error) {
	line, err := e.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		if line[0] == ':' {
			return "", newline, e.skip(size)
		}
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			if *size+len(line) > MaxMessage {
				return "", nil, errTooLarge
			}
			var more []byte
			more, err = e.in.ReadSlice('\n')
			line = append(line, more...)
		}
	}
	if err != nil {
		return "", nil, err // an event without an end is none
	}
	if *size += len(line); *size > MaxMessage {
		return "", nil, errTooLarge
	}
	line = bytes.TrimRight(line, "\r\n")
	before, after, _ := bytes.Cut(line, []byte{':'})
	if len(line) == 0 {
		return "", nil, nil
	}
	for _, f := range fields {
		if string(before) == f {
			return f, bytes.TrimPrefix(after, []byte{' '}), nil
		}
	}
	return "", newline, nil
}

// skip reads to the end of a line that nobody wants.
func (e *events) skip(size *int) error {
	for {
		piece, err := e.in.ReadSlice('\n')
		if *size += len(piece); *size > MaxMessage {
			return errTooLarge
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}
