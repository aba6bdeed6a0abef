package request

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/glovebox-run/glovebox/risk/mcp"
)

// maxLine is the longest line of a stream of requests, in bytes: a tools/list
// page with its schemas is far below it.
const maxLine = 16 << 20

// Scored is any result of risk/mcp.
type Scored interface {
	// Rated is the level that a cap is compared with.
	Rated() mcp.Level
	Explain() string
	Chip() string
}

// Rated returns the effective level.
func (c Composition) Rated() mcp.Level { return c.Effective }

// Chip returns the effective level as a user interface shows it.
func (c Composition) Chip() string {
	chip := c.Effective.String() + " - " + c.Effective.Label()
	if c.Trigger.Tripped() {
		chip += " (" + c.Trigger.Short + ")"
	}
	if c.Effective != c.Level {
		chip += " HITL -1"
	}
	return chip
}

// Explain draws both sides, their combined level and the credit for approval.
func (c Composition) Explain() string {
	text := c.ComposedRisk.Explain()
	if c.HumanInTheLoop {
		text += "a person approves every call: " + c.Effective.String() + " - " + c.Effective.Label() + "\n"
	}
	return text
}

// Tally summarises a stream.
type Tally struct {
	Rows  int
	Bad   int       // lines without a valid request
	Worst mcp.Level // of all that could be scored
}

// ScoreLines answers each line, one JSON object, with one line: the result, preceded
// by the "id" of the request. It answers an unreadable line with an error, never
// with a level, and continues with the next.
func ScoreLines(in io.Reader, out io.Writer, score func(raw []byte) (Scored, error)) (Tally, error) {
	tally := Tally{Worst: mcp.L0}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	w := bufio.NewWriter(out)
	for lines.Scan() {
		raw := bytes.TrimSpace(lines.Bytes())
		if len(raw) == 0 {
			continue
		}
		tally.Rows++
		result, err := score(raw)
		if err != nil {
			tally.Bad++
			err = writeLine(w, raw, map[string]string{"error": err.Error()})
		} else {
			tally.Worst = mcp.Worse(tally.Worst, result.Rated())
			err = writeLine(w, raw, result)
		}
		if err != nil {
			return tally, err
		}
	}
	if err := lines.Err(); err != nil {
		return tally, errors.Join(w.Flush(), fmt.Errorf("line %d: %w", tally.Rows+1, err))
	}
	return tally, w.Flush()
}

// writeLine puts the id of the request in front of the result's own fields.
func writeLine(w *bufio.Writer, request []byte, result any) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	var r struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(request, &r) == nil && len(r.ID) > 0 {
		id, err := json.Marshal(r.ID)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, `{"id":%s,`, id)
		text = text[1:]
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
