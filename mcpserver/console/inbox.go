package console

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk"
)

const (
	maxQuestions = 25 // on one page, with their arguments
	maxAnswered  = 20
	maxRules     = 50
)

// inboxView is the page Inbox.
type inboxView struct {
	Open     []question
	More     int // open questions that have no room
	Answered []answered
	Rules    []approve.Rule // that count
}

// question is one open question.
type question struct {
	approve.Entry
	Reason    []string // the lines of the question that are not said elsewhere
	Arguments template.HTML
	// Before is when the call that the arguments are compared with was approved.
	Before  *time.Time
	Session *labels.Head
	Longer  []longer
}

// longer is a yes that counts for further calls of the same caller and version of the tool.
type longer struct {
	Value string // of the form
	approve.Scope
}

// Words say what it is for.
func (l longer) Words() string {
	what := "any call of the tool"
	if l.Same {
		what = "the same arguments"
	}
	switch l.For {
	case time.Hour:
		return what + ", for an hour"
	case 24 * time.Hour:
		return what + ", for a day"
	}
	return what + ", for a week"
}

var allLonger = []longer{
	{"hour-same", approve.Scope{For: time.Hour, Same: true}},
	{"week-same", approve.Scope{For: approve.MaxRule, Same: true}},
	{"hour", approve.Scope{For: time.Hour}},
	{"day", approve.Scope{For: 24 * time.Hour}},
}

// longerFor returns what can be offered for a question. The desk has the last word.
func longerFor(e approve.Entry) []longer {
	switch {
	case e.Need > 1: // several people look at each call
		return nil
	case e.Level == risk.L5: // what destroys is approved for arguments that somebody has seen
		return allLonger[:2]
	}
	return allLonger
}

// answered is one question that was answered, or can be no longer.
type answered struct {
	approve.Entry
	By, Note string
	At       time.Time
}

// dangerFirst returns the open questions: the highest level first, then the newest.
func dangerFirst(all []approve.Entry) []approve.Entry {
	open := slices.DeleteFunc(slices.Clone(all), func(e approve.Entry) bool { return e.State != approve.Open })
	slices.SortStableFunc(open, func(a, b approve.Entry) int {
		return cmp.Or(cmp.Compare(b.Level, a.Level), b.Asked.Compare(a.Asked))
	})
	return open
}

func (c *Console) showInbox(v *visit) (any, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), c.atMost(lookTime))
	defer cancel()
	all, err := v.questions(ctx, c)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "The questions cannot be read", err.Error(), "They are safe; try again in a moment.")
	}
	heads := c.heads(ctx)
	view := &inboxView{}
	open := dangerFirst(all)
	look := c.options.Now().Add(c.atMost(compareTime))
	if len(open) > maxQuestions {
		view.More = len(open) - maxQuestions
		open = open[:maxQuestions]
	}
	for _, e := range open {
		q := question{Entry: e, Reason: reasonOf(e), Session: heads[e.Principal], Longer: longerFor(e)}
		before, at := c.before.find(c, e.Tool, c.options.Now().Before(look))
		if !at.IsZero() {
			q.Before = &at
		}
		q.Arguments = shown.JSON(e.Arguments, before)
		view.Open = append(view.Open, q)
	}
	for _, e := range all {
		if e.State == approve.Open {
			continue
		}
		a := answered{Entry: e, By: e.AnsweredBy(), At: e.Asked}
		for _, step := range e.History {
			a.At, a.Note = step.Time, cmp.Or(step.Note, a.Note)
		}
		view.Answered = append(view.Answered, a)
	}
	slices.SortStableFunc(view.Answered, func(a, b answered) int { return b.At.Compare(a.At) })
	view.Answered = view.Answered[:min(len(view.Answered), maxAnswered)]
	rules, err := c.options.Desk.Rules(ctx)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "The rules cannot be read", err.Error(), "They are safe; try again in a moment.")
	}
	over := slices.IndexFunc(rules, func(r approve.Rule) bool { return !r.Counts(c.options.Now()) })
	if over >= 0 { // those that count come first
		rules = rules[:over]
	}
	view.Rules = rules[:min(len(rules), maxRules)]
	return view, nil
}

// heads returns what the principals have met, by principal; nil if nobody knows.
func (c *Console) heads(ctx context.Context) map[string]*labels.Head {
	sessions := c.options.Sessions()
	if sessions == nil {
		return nil
	}
	all, err := sessions.List(ctx)
	if err != nil {
		return nil
	}
	heads := map[string]*labels.Head{}
	for i := range all {
		heads[all[i].Principal] = &all[i]
	}
	return heads
}

// told are lines of a question that the page shows in another place.
var told = []string{"Tool:", "Source:", "Risk level:", "Arguments:", "Run this tool?"}

// reasonOf returns the lines of a question that say why it is asked.
func reasonOf(e approve.Entry) (reason []string) {
	arguments := false
	for line := range strings.Lines(e.Question) {
		line = strings.TrimSpace(line)
		arguments = arguments || strings.HasPrefix(line, "Arguments:")
		if line != "" && !arguments && !slices.ContainsFunc(told, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
			reason = append(reason, line)
		}
	}
	return reason
}

// approve says yes to a question.
func (c *Console) approve(v *visit) (done, error) {
	r := approve.Resolution{Approve: true, First: true, Rest: v.form("rest") != ""}
	said := "Approved."
	if value := v.form("longer"); value != "" {
		at := slices.IndexFunc(allLonger, func(l longer) bool { return l.Value == value })
		if at < 0 {
			return done{}, refuse(http.StatusBadRequest, "No such answer", "That is no way to answer a question.", "Reload the page.")
		}
		r.Scope, said = &allLonger[at].Scope, "Approved: "+allLonger[at].Words()+"."
	}
	return c.resolve(v, r, said)
}

// revokeRule ends a yes that counts for further calls.
func (c *Console) revokeRule(v *visit) (done, error) {
	result := done{to: "inbox", said: "The rule is revoked.", about: struct {
		Rule string `json:"rule"`
	}{v.part["id"]}}
	_, err := c.options.Desk.RevokeRule(v.r.Context(), v.part["id"], v.who.Name)
	if errors.Is(err, approve.ErrNoRule) || errors.Is(err, approve.ErrRuleOver) {
		err = refuse(http.StatusConflict, "Nothing to revoke", "That rule does not count any more.", "")
	}
	return result, err
}

// deny says no to a question, and with "tell" lets the model see the reason.
func (c *Console) deny(v *visit) (done, error) {
	return c.resolve(v, approve.Resolution{Note: strings.TrimSpace(v.form("note")), Tell: v.form("tell") != "", First: true}, "Denied.")
}

// revoke takes back a yes that no call has used yet.
func (c *Console) revoke(v *visit) (done, error) {
	return c.resolve(v, approve.Resolution{}, "Taken back.")
}

func (c *Console) resolve(v *visit, r approve.Resolution, said string) (done, error) {
	r.By = v.who.Name
	result := done{to: "inbox", said: said, about: struct {
		Question string `json:"question"`
		Note     string `json:"note,omitempty"`
		Tell     bool   `json:"tell,omitempty"`
		Rest     bool   `json:"rest,omitempty"`
		For      string `json:"for,omitempty"` // a rule, for that long
		Same     bool   `json:"same,omitempty"`
	}{v.part["id"], r.Note, r.Tell, r.Rest, lasting(r.Scope), r.Scope != nil && r.Scope.Same}}
	err := c.options.Desk.Resolve(v.r.Context(), v.part["id"], r)
	switch {
	case errors.Is(err, approve.ErrSpent):
		was, by := "answered", ""
		if e, bad := c.options.Desk.Show(v.r.Context(), v.part["id"]); bad == nil {
			was, by = string(e.State), e.AnsweredBy()
		}
		if by != "" {
			by = " by " + shown.Plain(by, shown.Line)
		}
		err = refuse(http.StatusConflict, "Somebody was first", "Your answer does not count: the question was already "+was+by+".", "")
	case errors.Is(err, approve.ErrScope):
		err = refuse(http.StatusUnprocessableEntity, "Not for so much", err.Error(), "Approve this call alone.")
	case errors.Is(err, approve.ErrExpired):
		err = refuse(http.StatusGone, "Too late", "The time for an answer is over.", "The client has to make the call again, which asks again.")
	case errors.Is(err, approve.ErrNoSuch):
		err = refuse(http.StatusNotFound, "No such question", "There is no such question any more.", "")
	}
	return result, err
}

func lasting(s *approve.Scope) string {
	if s == nil {
		return ""
	}
	return s.For.String()
}
