package session_test

import (
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/session"
)

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func opened() (*session.Sessions, *clock) {
	c := &clock{time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	return session.New(c.now), c
}

var ada = session.Person{Name: "local:ada", Role: session.Answer}

func TestALinkIsUsedOnce(t *testing.T) {
	s, _ := opened()
	link := s.Link(ada)
	begun, cookie := s.Enter(link)
	if begun == nil || begun.Person != ada || s.Find(cookie) != begun {
		t.Fatalf("%+v is not the session of its cookie", begun)
	}
	if again, cookie := s.Enter(link); again != nil || cookie != "" {
		t.Error("a link was used twice")
	}
	if s.Find(link) != nil || s.Find("") != nil {
		t.Error("what is no cookie found a session")
	}
}

func TestALinkEndsAfterAMinute(t *testing.T) {
	s, c := opened()
	link := s.Link(ada)
	c.at = c.at.Add(session.LinkTime)
	if begun, _ := s.Enter(link); begun != nil {
		t.Error("an old link was used")
	}
	early := s.Link(ada)
	c.at = c.at.Add(session.LinkTime - 1)
	if begun, _ := s.Enter(early); begun == nil {
		t.Error("a link did not last its minute")
	}
}

func TestASessionEnds(t *testing.T) {
	s, c := opened()
	byTime, cookie := s.Begin(ada, session.Time)
	c.at = c.at.Add(session.Time - 1)
	if s.Find(cookie) != byTime {
		t.Fatal("a session ended early")
	}
	c.at = c.at.Add(1)
	if s.Find(cookie) != nil {
		t.Error("a session outlived its time")
	}
	<-byTime.Ended()
	byHand, cookie := s.Begin(ada, session.Time)
	other, kept := s.Begin(ada, session.Time)
	s.End(byHand)
	<-byHand.Ended()
	if s.Find(cookie) != nil || s.Find(kept) != other {
		t.Error("another session ended than the one that was to")
	}
	s.Close()
	<-other.Ended()
}

func TestWhatIsHeldIsBounded(t *testing.T) {
	s, c := opened()
	first, firstCookie := s.Begin(ada, session.Time)
	link := s.Link(ada)
	for range 1000 {
		c.at = c.at.Add(time.Millisecond)
		s.Begin(ada, session.Time)
		s.Link(ada)
	}
	if s.Find(firstCookie) != nil {
		t.Error("the oldest of a thousand sessions is still there")
	}
	<-first.Ended()
	if begun, _ := s.Enter(link); begun != nil {
		t.Error("the oldest of a thousand links still holds")
	}
}

func TestASessionLastsAsLongAsItWasGiven(t *testing.T) {
	s, c := opened()
	_, short := s.Begin(ada, time.Hour)
	_, long := s.Begin(ada, 1000*time.Hour)
	c.at = c.at.Add(time.Hour)
	if s.Find(short) != nil || s.Find(long) == nil {
		t.Error("a session of an hour outlived it, or one of a thousand ended with it")
	}
	c.at = c.at.Add(session.Time - time.Hour)
	if s.Find(long) != nil {
		t.Error("a session outlived the longest time")
	}
}

func TestFormsAreOfTheirSession(t *testing.T) {
	s, _ := opened()
	a, _ := s.Begin(ada, session.Time)
	b, _ := s.Begin(ada, session.Time)
	if !a.Genuine(a.Token) || a.Genuine(b.Token) || a.Genuine("") {
		t.Error("a form of another session counts, or one of this does not")
	}
	a.Say(session.Note{Text: "done"})
	if said := a.Said(); len(said) != 1 || said[0].Text != "done" || len(a.Said()) != 0 || len(b.Said()) != 0 {
		t.Error("a note is shown once, to whom it is for")
	}
}

func TestRoles(t *testing.T) {
	for _, name := range session.Roles() {
		if r, err := session.ParseRole(name); err != nil || r.String() != name || r == session.Nobody {
			t.Errorf("%s is read as %v, %v", name, r, err)
		}
	}
	for _, name := range []string{"", "nobody", "Manage", "admin"} {
		if r, err := session.ParseRole(name); err == nil || r != session.Nobody {
			t.Errorf("%q is a role: %v", name, r)
		}
	}
	if session.Role(99).String() != "nobody" {
		t.Error("a number that is no role has the name of one")
	}
}
