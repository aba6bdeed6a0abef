package upstream

import (
	"regexp"
	"strings"
	"sync"
)

const (
	// maxWords is how many lines of standard error are kept of a server, and maxWord how
	// many bytes of each: a stack trace of Node or Python fits, and its message is at one
	// of its ends.
	maxWords = 40
	maxWord  = 300
)

// words are the last lines of standard error of a server, which may explain its end. They
// are safe for concurrent use.
type words struct {
	mu    sync.Mutex
	lines []string
}

func (w *words) hear(line string) {
	if len(line) > maxWord {
		line = strings.ToValidUTF8(line[:maxWord], "") + "..."
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lines) == maxWords {
		w.lines = append(w.lines[:0], w.lines[1:]...)
	}
	w.lines = append(w.lines, line)
}

// complaint is a line that says what is wrong, in the words of most languages and tools.
var complaint = regexp.MustCompile(`(?i)(error|exception|panic)[^:]*:`)

// last returns the line that explains the end best: the first complaint among the last
// lines, or the last one; "" if there is none.
func (w *words) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		if complaint.MatchString(line) {
			return line
		}
	}
	if len(w.lines) == 0 {
		return ""
	}
	return w.lines[len(w.lines)-1]
}
