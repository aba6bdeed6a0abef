package approve

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/risk"
)

// State is the state of a question.
type State string

const (
	Open      State = "open"
	Approved  State = "approved"  // a yes that no call has used yet
	Used      State = "used"      // a yes that a call has used
	Denied    State = "denied"    // a no
	Cancelled State = "cancelled" // the person asked did not decide
	Failed    State = "failed"    // the client could not ask, or gave no valid answer
	Expired   State = "expired"   // no answer in time, or a yes that was not used in time
)

// States returns all states, in the order in which a question may reach them.
func States() []State {
	return []State{Open, Approved, Used, Denied, Cancelled, Failed, Expired}
}

// Entry is a question as an operator sees it. Secrets are removed from arguments
// and question, which may be shortened; the answer is for the exact bytes.
type Entry struct {
	ID    string    `json:"id"`
	State State     `json:"state"`
	Asked time.Time `json:"asked"`
	// Expires is when the question can no longer be answered; of an approved one,
	// when the yes can no longer be used.
	Expires   time.Time `json:"expires"`
	Principal string    `json:"principal"`
	// Client is what the caller's program calls itself. Nobody has checked it.
	Client    string          `json:"client,omitempty"`
	Source    string          `json:"source"`
	Tool      string          `json:"tool"`
	ToolHash  string          `json:"toolHash"`
	Level     risk.Level      `json:"level"`
	Policy    string          `json:"policy"`
	Arguments json.RawMessage `json:"arguments"`
	Question  string          `json:"question"`
	// Rest says what a yes may be for beside the call: more calls of the tool to the same
	// recipient. It is empty if it can be for the call alone. ForRest says that the yes was.
	Rest    string `json:"rest,omitempty"`
	ForRest bool   `json:"forRest,omitempty"`
	// Need is how many people have to say yes, if it is more than one, and Yes who has.
	Need int      `json:"need,omitempty"`
	Yes  []string `json:"yes,omitempty"`
	// Rule is the id of the rule that the yes made, or of the one that stands for it.
	Rule    string  `json:"rule,omitempty"`
	History []Event `json:"history"` // oldest first
}

// Event is one step in the life of a question.
type Event struct {
	Time  time.Time `json:"time"`
	State State     `json:"state"`
	By    string    `json:"by,omitempty"` // who answered
	Note  string    `json:"note,omitempty"`
	// Told is set when the note is also for the model.
	Told bool `json:"told,omitempty"`
}

// byClient is recorded as the author of an answer that came through the client: the
// principal answered for its own call, and nothing more is known.
const byClient = "client"

// operator stands for an operator whom the channel of the answer does not name.
const operator = "operator"

// AnsweredBy returns who gave the answer, if there was one.
func (e Entry) AnsweredBy() string {
	for _, event := range slices.Backward(e.History) {
		if event.By != "" {
			return event.By
		}
	}
	return ""
}

// Reason returns what the person who said no wants the model to know, or "".
func (e Entry) Reason() string {
	for _, event := range slices.Backward(e.History) {
		if event.State == Denied && event.Told {
			return event.Note
		}
	}
	return ""
}

// Resolution is an operator's answer.
type Resolution struct {
	Approve bool `json:"approve"`
	Rest    bool `json:"rest,omitempty"` // the yes is for what the question offers beside the call
	// Scope makes the yes a rule for further calls as well; nil for this call alone.
	Scope *Scope `json:"scope,omitempty"`
	By    string `json:"by"` // the operator, as identified by the channel of the answer
	Note  string `json:"note,omitempty"`
	// Tell lets the model see the note of a no.
	Tell bool `json:"tell,omitempty"`
	// First makes the answer count only if it is the first: a no then does not revoke a
	// yes that was not used yet.
	First bool `json:"first,omitempty"`
}

// maxNote bounds a note in bytes.
const maxNote = 500

// List returns all known questions, open ones first, then newest first. Of the closed
// ones only the last few of each principal are kept.
func (d *Desk) List(ctx context.Context) ([]Entry, error) {
	all := []Entry{}
	err := d.each(ctx, func(t *tray) {
		for _, q := range t.Questions {
			all = append(all, q.Entry)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b Entry) int {
		if (a.State == Open) != (b.State == Open) {
			if a.State == Open {
				return -1
			}
			return 1
		}
		return cmp.Or(b.Asked.Compare(a.Asked), strings.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Show returns one question, or ErrNoSuch.
func (d *Desk) Show(ctx context.Context, id string) (Entry, error) {
	if e, err := d.placed(ctx, strings.ToUpper(id)); err == nil {
		return e, nil
	}
	all, err := d.List(ctx)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range all {
		if strings.EqualFold(e.ID, id) {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("%w: %q", ErrNoSuch, id)
}

// placeVersion begins a place. Version 0 was the key of the tray alone.
const placeVersion = "1 "

func placeOf(tray string) []byte { return []byte(placeVersion + tray) }

// trayAt reads a place. What a newer program wrote is not understood: the question is
// searched for.
func trayAt(place []byte) (string, error) {
	version, tray, found := strings.Cut(string(place), " ")
	if !found {
		return version, nil
	}
	if version+" " != placeVersion {
		return "", fmt.Errorf("a place of version %q is not known", version)
	}
	return tray, nil
}

// placed returns a question found through its place.
func (d *Desk) placed(ctx context.Context, id string) (Entry, error) {
	place, err := d.places.Latest(ctx, id)
	if err != nil {
		return Entry{}, err
	}
	tray, err := trayAt(place.Value)
	if err != nil {
		return Entry{}, err
	}
	e, err := d.trays.Latest(ctx, tray)
	if err != nil {
		return Entry{}, err
	}
	t, err := d.read(e)
	if err != nil {
		return Entry{}, err
	}
	if q := t.find(id); q != nil {
		return q.Entry, nil
	}
	return Entry{}, ErrNoSuch
}

// Resolve answers an open question. A no revokes a yes that was not used yet. The
// error is ErrNoSuch, ErrExpired, ErrSpent, ErrNoRest, ErrScope or ErrSamePerson, possibly
// wrapped. A question that needs several people stays open until the last of them.
func (d *Desk) Resolve(ctx context.Context, id string, r Resolution) error {
	e, err := d.Show(ctx, id)
	if err != nil {
		return err
	}
	return d.change(ctx, e.Principal, func(t *tray, now time.Time) error {
		q := t.find(e.ID)
		switch {
		case q == nil:
			return fmt.Errorf("%w: %q", ErrNoSuch, id)
		case q.State == Expired:
			return ErrExpired
		case q.State == Approved && !r.Approve && !r.First:
		case q.State != Open:
			return fmt.Errorf("%w: it is %s", ErrSpent, q.State)
		case r.Approve && r.Rest && q.Rest == "":
			return ErrNoRest
		}
		by, note := cmp.Or(r.By, operator), shortened(r.Note, maxNote)
		if r.Approve && q.Need > 1 {
			if slices.Contains(q.Yes, by) {
				return fmt.Errorf("%w: %s has said yes", ErrSamePerson, by)
			}
			if r.Scope != nil {
				return r.Scope.check(q)
			}
			q.Yes = append(slices.Clip(q.Yes), by)
			if len(q.Yes) < q.Need {
				q.become(Open, now, by, note)
				return nil
			}
		}
		if r.Approve && r.Scope != nil {
			if err := t.allow(q, *r.Scope, by, note, now); err != nil {
				return err
			}
		}
		q.ForRest = r.Approve && r.Rest
		answer := Denied
		if r.Approve {
			answer, q.Expires = Approved, now.Add(d.settings.Grant)
		}
		q.become(answer, now, by, note)
		q.History[len(q.History)-1].Told = r.Tell && !r.Approve && r.Note != ""
		q.Inbox = true
		return nil
	})
}

func shortened(s string, most int) string {
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "")
	}
	return s
}
