package audit

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"
)

// Mirror keeps a copy of every record of a chain elsewhere, such as in a stream of a
// cluster, where [Copies] checks it. It may be out of reach for a while: records are
// written meanwhile, and follow. Several chains have one mirror; writer is which one.
type Mirror interface {
	// Last returns the note of the part that was added last, and its revision; empty if
	// there is none.
	Last(ctx context.Context, writer string) (note []byte, revision uint64, err error)
	// Add adds a part if the last one still has a revision; otherwise the error is
	// ErrMoved.
	Add(ctx context.Context, writer string, p Part, after uint64) (revision uint64, err error)
	// Sign replaces the sign of life of a writer.
	Sign(ctx context.Context, writer string, s Sign) error
}

// ErrMoved means that another process added to the copy of a chain.
var ErrMoved = errors.New("another process added to the copy of this record")

// Part is some records of a chain, one after the other.
type Part struct {
	Lines []byte // as they are in the file
	Sign         // made where the lines end
}

// Sign is a note that a chain's key has signed, and the key's public part.
type Sign struct {
	Note []byte
	Key  string
}

const (
	// MaxPart bounds the lines of a part in bytes, unless one line is longer.
	MaxPart = 256 << 10
	// SignEvery is how often a process that records says so.
	SignEvery = 5 * time.Second
	// mirrorEvery is how often it is looked whether there is something to copy.
	mirrorEvery = 200 * time.Millisecond
)

// WriterOf returns the name of a chain among those of a cluster: that of its key, which
// therefore cannot be exchanged.
func WriterOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}

// signed is what a sign of a writer says.
type signed struct {
	position           // how much of the chain is copied
	at       time.Time // by the writer's clock
	before   time.Time // when the part before was added; zero for the first
	closed   bool      // the process ended on purpose
	name     string    // of the machine and the file, for people
}

// signOrigin is the first line of a sign. It differs from that of a checkpoint: a chain
// may be longer than its copy.
const signOrigin = "glovebox-audit-copy"

// maxSignName bounds the name in a sign, in bytes.
const maxSignName = 200

func (s signer) sign(what signed) (Sign, error) {
	state, before := "open", ""
	if what.closed {
		state = "closed"
	}
	if !what.before.IsZero() {
		before = what.before.UTC().Format(time.RFC3339Nano)
	}
	text := fmt.Sprintf("%s\n%d\n%s\n%s\n%s\n%s\n%s\n", signOrigin, what.count, base64.StdEncoding.EncodeToString(what.last[:]),
		what.at.UTC().Format(time.RFC3339Nano), before, state, oneLine(what.name))
	signed, err := note.Sign(&note.Note{Text: text}, s)
	return Sign{signed, s.public}, err
}

// oneLine bounds a name and leaves what is no letter, digit or punctuation out.
func oneLine(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)
	return name[:min(len(name), maxSignName)]
}

// open returns what a sign says if the writer's key signed it.
func (s Sign) open(writer string) (what signed, err error) {
	if WriterOf(s.Key) != writer {
		return what, errors.New("its key is not that of this writer")
	}
	by, err := note.NewVerifier(s.Key)
	if err != nil {
		return what, err
	}
	opened, err := note.Open(s.Note, note.VerifierList(by))
	if err != nil {
		return what, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 8 || lines[0] != signOrigin {
		return what, errors.New("no sign of a copied record")
	}
	if what.position, err = parsePosition(lines[1], lines[2]); err != nil {
		return what, err
	}
	if what.at, err = time.Parse(time.RFC3339Nano, lines[3]); err != nil {
		return what, err
	}
	if lines[4] != "" {
		if what.before, err = time.Parse(time.RFC3339Nano, lines[4]); err != nil {
			return what, err
		}
	}
	what.closed, what.name = lines[5] == "closed", oneLine(lines[6])
	return what, nil
}

// copyist copies the chain of a log to its mirror. One goroutine uses it.
type copyist struct {
	log    *Log
	to     Mirror
	writer string

	begun    bool
	at       position  // what is copied
	revision uint64    // of the last part
	before   time.Time // when it was added
	signed   time.Time // when the last sign was given
	// Where the next line is: in the file that begins with record first.
	first  uint64
	offset int64
}

// mirroring copies what is appended, until the log is closed.
func (l *Log) mirroring() {
	c := &copyist{log: l, to: l.opts.Mirror, writer: WriterOf(l.signer.public)}
	failed := false
	tick := time.NewTicker(mirrorEvery)
	defer tick.Stop()
	for last := false; !last; {
		select {
		case <-tick.C:
		case <-l.stop:
			last = true
		}
		limit := keepTime
		if last {
			limit = lastKeepTime
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		err := c.round(ctx, last)
		cancel()
		if (err != nil) != failed && l.opts.Mirrored != nil && !last {
			failed = err != nil
			l.opts.Mirrored(err)
		}
	}
}

// round copies what there is and gives a sign if one is due.
func (c *copyist) round(ctx context.Context, last bool) error {
	end, err := c.end()
	if err != nil {
		return err
	}
	for {
		if !c.begun {
			if err := c.begin(ctx, end); err != nil {
				return err
			}
			c.begun = true
		}
		if c.at.count >= end.count {
			break
		}
		if err := c.copy(ctx, end); err != nil {
			// Whether the part was added is not known, so the copy is looked at again.
			c.begun = false
			if !errors.Is(err, ErrMoved) {
				return err
			}
		}
	}
	if !last && time.Since(c.signed) < SignEvery {
		return nil
	}
	return c.sign(ctx, last)
}

func (c *copyist) sign(ctx context.Context, closed bool) error {
	s, err := c.log.signer.sign(signed{c.at, time.Now(), c.before, closed, c.log.opts.Name})
	if err == nil {
		err = c.to.Sign(ctx, c.writer, s)
	}
	if err == nil {
		c.signed = time.Now()
	}
	return err
}

// end returns the end of the chain, on disk: no copy may have what a power cut can take
// away.
func (c *copyist) end() (position, error) {
	l := c.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return l.at, nil
	}
	err := l.locked(func() error {
		if err := l.catchUp(); err != nil {
			return err
		}
		return l.syncNow()
	})
	return l.at, err
}

// begin finds where the copy ends. If it has other records than the chain, two processes
// have written with one key, or the chain was put back: what is appended is copied all
// the same, and whoever checks the copies sees both.
func (c *copyist) begin(ctx context.Context, end position) error {
	text, revision, err := c.to.Last(ctx, c.writer)
	if err != nil {
		return err
	}
	c.revision = revision
	if len(text) == 0 {
		return c.sign(ctx, false) // before the first part, so that a copy without a sign is a defect
	}
	last, err := Sign{text, c.log.signer.public}.open(c.writer)
	if err != nil {
		return fmt.Errorf("the copy of this record does not end with a note that its key has signed: %w", err)
	}
	c.before = last.at
	c.first, c.offset = 0, 0
	own, err := c.had(last.position, end)
	c.first, c.offset = 0, 0
	if err != nil {
		return err
	}
	if own {
		c.at = last.position
		return nil
	}
	if c.at.count == 0 {
		c.at = end
	}
	if c.log.opts.Forked != nil {
		c.log.opts.Forked(last.count)
	}
	return nil
}

// had reports whether the chain has the record that the copy ends with. A record that
// was archived counts as had.
func (c *copyist) had(at, end position) (own bool, err error) {
	if at.count == 0 || at.count > end.count {
		return at.count == 0, nil
	}
	if at.count == end.count {
		return at.last == end.last, nil
	}
	found := false
	err = c.lines(at.count-1, func(l line, _ []byte) error {
		found, own = true, l.seq > at.count || l.hash == at.last
		return errEnough
	})
	return own || !found, err
}

// copy adds the next part.
func (c *copyist) copy(ctx context.Context, end position) error {
	var part Part
	at := c.at
	err := c.lines(c.at.count, func(l line, text []byte) error {
		if gap := l.seq - c.at.count - 1; len(part.Lines) == 0 && gap > 0 && c.log.opts.Uncopied != nil {
			c.log.opts.Uncopied(gap) // archived meanwhile
		}
		if !l.intact {
			return fmt.Errorf("record %d: its bytes do not give its hash", l.seq)
		}
		part.Lines = append(part.Lines, text...)
		at = position{count: l.seq, last: l.hash}
		if l.seq >= end.count || len(part.Lines) > MaxPart-maxRecord {
			return errEnough
		}
		return nil
	})
	if err == nil && len(part.Lines) == 0 {
		err = fmt.Errorf("record %d is not in the file", c.at.count+1)
	}
	if err != nil {
		return err
	}
	now := time.Now()
	if part.Sign, err = c.log.signer.sign(signed{at, now, c.before, false, c.log.opts.Name}); err != nil {
		return err
	}
	if c.revision, err = c.to.Add(ctx, c.writer, part, c.revision); err != nil {
		return err
	}
	c.at, c.before = at, now
	return nil
}

// maxRecord is more than the largest line, in bytes; see [Record].
const maxRecord = 32 << 10

// lines calls f for the lines after record n, until it returns errEnough, and remembers
// where it ended.
func (c *copyist) lines(n uint64, f func(l line, text []byte) error) error {
	chain, err := takeSnapshot(c.log.path)
	if err != nil {
		return err
	}
	defer chain.close()
	chain.dropUpTo(n)
	for i, file := range chain.files {
		name, from := file.Name(), int64(0)
		first := uint64(0)
		if name != c.log.path {
			first = firstIn(name)
		} else if first, err = firstSeq(file); err != nil {
			if chain.sizes[i] == 0 {
				continue
			}
			return err
		}
		if first == c.first {
			from = c.offset
		}
		err := eachLine(io.NewSectionReader(file, from, chain.sizes[i]-from), func(_ int, offset int64, text []byte) error {
			l, err := parseWhole(text)
			if err != nil {
				return fmt.Errorf("after record %d: %w", n, err)
			}
			if l.seq > n {
				err = f(l, text)
			}
			if err == nil || errors.Is(err, errEnough) {
				c.first, c.offset = first, from+offset+int64(len(text))
			}
			return err
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
