package approve

import (
	"bytes"
	"slices"
	"time"
)

// trayVersion is the version of the stored format. It grows when a member is added
// that must not be dropped; a program refuses versions it does not know. Trays
// without a number are version 0, which has the same members as version 1; version 2 has
// rules and questions for more than one person.
const trayVersion = 2

// tray holds the questions of one principal, oldest first, and its rules.
type tray struct {
	Version   int        `json:"version"`
	Questions []question `json:"questions"`
	Rules     []rule     `json:"rules,omitempty"` // oldest first
}

// question is an entry with fields that only the desk needs.
type question struct {
	Entry
	Digest []byte `json:"digest"`
	Inbox  bool   `json:"inbox"` // an operator gave the answer
}

// become moves the question to a state and records the step.
func (q *question) become(s State, now time.Time, by, note string) {
	q.State = s
	q.History = append(slices.Clip(q.History), Event{Time: now, State: s, By: by, Note: note})
}

func (t *tray) find(id string) *question {
	for i := range t.Questions {
		if t.Questions[i].ID == id {
			return &t.Questions[i]
		}
	}
	return nil
}

// about returns the newest question about a call.
func (t *tray) about(digest []byte) *question {
	for i := range slices.Backward(t.Questions) {
		if bytes.Equal(t.Questions[i].Digest, digest) {
			return &t.Questions[i]
		}
	}
	return nil
}

func (t *tray) open() (n int) {
	for _, q := range t.Questions {
		if q.State == Open {
			n++
		}
	}
	return n
}

func (t *tray) add(q question) { t.Questions = append(t.Questions, q) }

// expire closes questions that are past their time. A no needs no closing: it holds
// as long as the question could have been answered.
func (t *tray) expire(now time.Time) {
	for i := range t.Questions {
		q := &t.Questions[i]
		if (q.State == Open || q.State == Approved) && !now.Before(q.Expires) {
			q.become(Expired, q.Expires, "", "")
		}
	}
}

// counts reports whether a question still has an effect. An operator's no has one for
// as long as a yes would: a client must not be able to push it out with questions
// that it closes itself.
func (q question) counts(now time.Time) bool {
	return q.State == Open || q.State == Approved || q.refused(now)
}

// refused reports whether an operator's no still holds.
func (q question) refused(now time.Time) bool {
	return q.State == Denied && q.Inbox && now.Before(q.Expires)
}

// prune forgets the oldest of the questions that no longer count.
func (t *tray) prune(now time.Time) {
	t.pruneRules(now)
	closed := 0
	for _, q := range t.Questions {
		if !q.counts(now) {
			closed++
		}
	}
	t.Questions = slices.DeleteFunc(t.Questions, func(q question) bool {
		if q.counts(now) || closed <= maxClosed {
			return false
		}
		closed--
		return true
	})
}
