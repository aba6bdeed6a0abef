package contract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/glovebox-run/glovebox/risk/contract/pyjson"
)

// maxLine is the longest line of a stream that is read, in bytes. Requests are
// some hundred bytes. A parsed line takes up to eighty times its size, so the
// limit keeps a hostile line to some 80 MiB.
const maxLine = 1 << 20

// Tally summarises a stream.
type Tally struct {
	Rows      int
	Invalid   int                // rows without a valid request or connector
	Decisions [decisionCount]int // of the others, by Decision
}

// Refused returns how many rows were decided and not allowed.
func (t Tally) Refused() int {
	refused := 0
	for d, n := range t.Decisions {
		if !Decision(d).Allowed() {
			refused += n
		}
	}
	return refused
}

// invalidRow answers a row that cannot be decided. It says allowed: false, so a
// reader that checks only this field still refuses the call.
type invalidRow struct {
	ID      json.RawMessage `json:"id"`
	Error   string          `json:"error"`
	Message string          `json:"message"`
	Line    int             `json:"line"`
	Allowed bool            `json:"allowed"`
}

// DecideLines answers a stream of JSON lines. A line is an object with an id and
// either a request, which names command-line arguments as [ParseArguments] does,
// or a raw_request in the contract's own JSON; other members are ignored. A line
// that is not a request is answered with an error and the stream continues. The
// returned error is a read or write error.
func (c *Contract) DecideLines(in io.Reader, out io.Writer) (Tally, error) {
	type row struct {
		ID json.RawMessage `json:"id"`
		Report
	}
	var tally Tally
	err := eachLine(in, out, &tally, "invalid_request", []string{"id", "request", "raw_request"}, func(id json.RawMessage, v pyjson.Value) (any, error) {
		r, err := requestOf(v)
		if err != nil {
			return nil, err
		}
		answer := c.Decide(&r)
		tally.Decisions[answer.Decision]++
		report := answer.Report()
		report.Request = nil // the caller has it
		return row{id, report}, nil
	})
	return tally, err
}

func requestOf(row pyjson.Value) (Request, error) {
	args, named := row.Lookup("request")
	raw, own := row.Lookup("raw_request")
	switch {
	case named == own:
		return Request{}, fmt.Errorf("%w: want either request or raw_request", ErrInvalidRequest)
	case own:
		return normalise(raw)
	}
	return overlayArguments(pyjson.Value{Kind: pyjson.Object}, args)
}

// ScoreLines scores a stream of JSON lines, each an object with an id and a
// connector, in the same way.
func ScoreLines(in io.Reader, out io.Writer) (Tally, error) {
	type row struct {
		ID json.RawMessage `json:"id"`
		Profile
	}
	var tally Tally
	err := eachLine(in, out, &tally, "invalid_connector", []string{"id", "connector"}, func(id json.RawMessage, v pyjson.Value) (any, error) {
		at := node{value: v.Get("connector"), at: "/connector", problems: new([]error)}
		connector := readConnector(at)
		if err := at.err(); err != nil {
			return nil, err
		}
		return row{id, connector.Score()}, nil
	})
	return tally, err
}

// eachLine answers every line with the result of answer for its members, or with an
// error of the given code.
func eachLine(in io.Reader, out io.Writer, tally *Tally, code string, members []string, answer func(json.RawMessage, pyjson.Value) (any, error)) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	buffered := bufio.NewWriterSize(out, 64<<10)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	var decoder pyjson.Parser
	var line []byte
	for number := 1; ; number++ {
		var tooLong bool
		var readErr error
		line, tooLong, readErr = readLine(lines, line[:0])
		if readErr != nil && readErr != io.EOF {
			return errors.Join(readErr, buffered.Flush())
		}
		if len(bytes.TrimSpace(line)) > 0 {
			tally.Rows++
			result, id, err := answerLine(&decoder, line, tooLong, members, answer)
			if err != nil {
				tally.Invalid++
				result = invalidRow{ID: id, Error: code, Message: err.Error(), Line: number}
			}
			if err := encoder.Encode(result); err != nil {
				return err
			}
		}
		// Flush when no more input is buffered: a caller that waits after one line
		// gets its answer, and many lines at once need few writes.
		if lines.Buffered() == 0 || readErr == io.EOF {
			if err := buffered.Flush(); err != nil {
				return err
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

// readLine appends one line to buf. It keeps only the beginning of a line longer
// than maxLine.
func readLine(r *bufio.Reader, buf []byte) (line []byte, tooLong bool, err error) {
	for {
		chunk, err := r.ReadSlice('\n')
		if len(buf)+len(chunk) > maxLine {
			tooLong = true
		} else {
			buf = append(buf, chunk...)
		}
		if err != bufio.ErrBufferFull {
			return buf, tooLong, err
		}
	}
}

func answerLine(decoder *pyjson.Parser, line []byte, tooLong bool, members []string, answer func(json.RawMessage, pyjson.Value) (any, error)) (any, json.RawMessage, error) {
	if tooLong {
		return nil, nil, fmt.Errorf("the line is longer than %d bytes", maxLine)
	}
	v, err := decoder.ParseMembers(line, members...)
	if err != nil {
		id, _ := spellID(decoder.Leading(line, "id"))
		return nil, id, err
	}
	id, err := spellID(v.Get("id"))
	if err != nil {
		return nil, nil, err
	}
	result, err := answer(id, v)
	return result, id, err
}

// spellID writes an id as an answer repeats it.
func spellID(id pyjson.Value) (json.RawMessage, error) {
	switch {
	case id.Kind == pyjson.Text, id.Kind == pyjson.Null, id.Kind == pyjson.Number && id.Integer():
		return id.AppendCompact(nil), nil
	}
	return nil, errors.New("the id is neither a text nor an integer")
}
