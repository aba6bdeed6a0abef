package process

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	// maxLine is the length at which a line of standard error is cut, in bytes: a stack trace
	// has lines of up to 1 KiB, and a log line is not the place for a document.
	maxLine = 4 << 10
	// linesPerSecond bounds how many lines reach the callback. A server that starts
	// prints some dozens at once; one that floods must not fill the gateway's log.
	linesPerSecond = 200
)

// lines reads standard error to its end and hands on each line. Of a flood it hands on the
// first lines of each second and then says how many it left out. It never stops
// reading, because a server that cannot write would wait for ever.
func lines(from io.Reader, now func() time.Time, hand func(string)) {
	in := bufio.NewReaderSize(from, maxLine)
	var (
		second  time.Time
		handed  int
		skipped int
	)
	said := func() {
		if skipped > 0 {
			hand(fmt.Sprintf("(%d more lines left out)", skipped))
			skipped = 0
		}
	}
	for {
		text, long, err := in.ReadLine()
		if err != nil {
			said()
			return
		}
		line := string(text)
		for long && err == nil {
			_, long, err = in.ReadLine()
		}
		if t := now(); t.Sub(second) >= time.Second {
			said()
			second, handed = t, 0
		}
		line = clean(line)
		if line == "" {
			continue
		}
		if handed == linesPerSecond {
			skipped++
			continue
		}
		handed++
		hand(line)
	}
}

// clean leaves one line of visible text: escape sequences could repaint the operator's
// terminal, and characters that change the direction of text could forge a log line.
func clean(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r == utf8.RuneError, unicode.Is(unicode.Cc, r), r == '\u2028', r == '\u2029':
			return '�'
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, line))
}
