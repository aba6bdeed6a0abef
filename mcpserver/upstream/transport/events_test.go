package transport

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// readEvents reads a whole stream.
func readEvents(in io.Reader) (all []event, last string, err error) {
	e := newEvents(in, func() {})
	defer e.close()
	for {
		next, err := e.next()
		if err != nil {
			return all, e.last, err
		}
		all = append(all, next)
	}
}

// plainEvents is what the standard says of a stream, read in the simplest way: split into
// lines, apply the rules of each field, dispatch at an empty line. Lines that end in a
// carriage return alone are not read as lines here, as no server of MCP sends them.
func plainEvents(text string) (all []event, last string) {
	now := event{name: "message"}
	var data *string
	lines := strings.SplitAfter(text, "\n")
	for _, line := range lines {
		if !strings.HasSuffix(line, "\n") {
			break // an event that is not finished is none
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			if data != nil {
				now.data = []byte(strings.TrimSuffix(*data, "\n"))
				all = append(all, now)
			}
			now, data = event{name: "message"}, nil
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			now.name = value
		case "data":
			if data == nil {
				data = new(string)
			}
			*data += value + "\n"
		case "id":
			control := func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
			if !strings.ContainsFunc(value, control) && len(value) <= maxEventID {
				last = value
			}
		}
	}
	return all, last
}

// FuzzEvents compares the reader with the plain one, however the bytes arrive.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{
		"data: {}\n\n", "event: endpoint\ndata: /messages?x=1\n\n", "id: 1\ndata:\n\n", ": comment\n\ndata:a\ndata: b\r\n\r\n",
		"retry: 10\nid: 7\n\n", "data", "data\n\n", "data: x", "event:\n\ndata: y\n\n", ":" + strings.Repeat("x", 5000) + "\ndata: z\n\n",
		"data: " + strings.Repeat("long", 1200) + "\n\n", "id: a\x00b\ndata: 1\n\n", "dat: 1\ndata : 2\n\n", "\n\n\n", "id\ndata: 1\n\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, wantLast := plainEvents(text)
		for name, in := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text))} {
			got, last, err := readEvents(in)
			if !errors.Is(err, io.EOF) {
				t.Fatalf("%s: %v", name, err)
			}
			if len(got) != len(want) || last != wantLast {
				t.Fatalf("%s: %d events and id %q, want %d and %q", name, len(got), last, len(want), wantLast)
			}
			for i := range got {
				if got[i].name != want[i].name || !bytes.Equal(got[i].data, want[i].data) {
					t.Errorf("%s: event %d is %q %q, want %q %q", name, i, got[i].name, got[i].data, want[i].name, want[i].data)
				}
			}
		}
	})
}

// A message that is too large is refused before it is kept, in whatever way it is long.
func TestLongEvents(t *testing.T) {
	x := strings.Repeat("x", MaxMessage)
	for name, text := range map[string]string{
		"one line":   "data: " + x + "\n\n",
		"many lines": strings.Repeat("data: "+x[:1<<20]+"\n", 9) + "\n",
		"a comment":  ":" + x + x + "\n\n",
		"no line":    x + x,
		"names":      strings.Repeat("event: "+x[:1<<20]+"\n", 9) + "\n",
	} {
		if _, _, err := readEvents(strings.NewReader(text)); !errors.Is(err, errTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all, _, err := readEvents(strings.NewReader("data: " + x[:MaxMessage-100] + "\n\n")); len(all) != 1 || !errors.Is(err, io.EOF) {
		t.Errorf("%d events, %v", len(all), err)
	}
}
