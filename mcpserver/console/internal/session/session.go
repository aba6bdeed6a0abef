// Package session admits people to the console: a link that is used once becomes a
// session, which ends by itself.
//
//	Sessions  all links and sessions of one console
//	Session   one person's; it carries the role and the token of the forms
//	Role      what a person may do
//
// Only hashes of links and cookies are kept, so reading our memory or a timing of a
// look-up gives nobody either.
package session

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Role is what a person may do. The zero value may do nothing. A higher role may do
// everything that a lower one may.
type Role int

// The roles.
const (
	Nobody Role = iota
	Look        // see everything
	Answer      // answer the questions of calls, too
	Manage      // change servers, tools, sessions and specs, too
)

var names = [...]string{"nobody", "look", "answer", "manage"}

func (r Role) String() string {
	if r < Nobody || r > Manage {
		return names[Nobody]
	}
	return names[r]
}

// Roles returns the names of the roles that a person can have.
func Roles() []string { return slices.Clone(names[Look:]) }

// ParseRole reads the name of a role.
func ParseRole(name string) (Role, error) {
	for r := Look; r <= Manage; r++ {
		if names[r] == name {
			return r, nil
		}
	}
	return Nobody, fmt.Errorf("there is no role %q; take look, answer or manage", name)
}

const (
	// LinkTime is how long a link can be used: longer than a browser takes to start.
	LinkTime = time.Minute
	// Time is how long a session lasts at most: a working day. Nothing prolongs it.
	Time = 12 * time.Hour
	// maxLinks and maxSessions bound what is held; the oldest goes first.
	maxLinks, maxSessions = 64, 256
)

// Person is somebody who was identified.
type Person struct {
	Name string // as the record names them, such as local:ada
	Role Role
	// Issuer is the host at which they signed in; empty without one. Called is what
	// they are called there, for themselves to see, and Leave the page that ends their
	// session there; empty if there is none.
	Issuer, Called, Leave string
}

// Sessions are the links and sessions of one console. They are in memory: a restart ends
// them. It is safe for concurrent use.
type Sessions struct {
	now func() time.Time

	mu    sync.Mutex
	links map[hash]link
	open  map[hash]*Session
}

type hash [sha256.Size]byte

type link struct {
	person Person
	until  time.Time
}

// New returns no sessions. now is their clock.
func New(now func() time.Time) *Sessions {
	return &Sessions{now: now, links: map[hash]link{}, open: map[hash]*Session{}}
}

// Session is one person's session.
type Session struct {
	Person
	// Token is what every form of the session sends, so that no other site can make
	// one up.
	Token string
	Until time.Time

	ended chan struct{}
	mu    sync.Mutex
	said  []Note
}

// Note is a sentence for the next page that the person sees.
type Note struct {
	Bad  bool
	Text string
}

// Ended is closed when the session ends before its time.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// maxNotes bounds the notes that wait for a page.
const maxNotes = 8

// Say keeps a note for the next page.
func (s *Session) Say(n Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.said = append(s.said, n); len(s.said) > maxNotes {
		s.said = s.said[1:]
	}
}

// Said returns the notes and forgets them.
func (s *Session) Said() []Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := s.said
	s.said = nil
	return said
}

// Genuine reports whether a form was made for this session.
func (s *Session) Genuine(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.Token)) == 1
}

// Link returns the secret of a link that signs a person in, once.
func (s *Sessions) Link(p Person) (secret string) {
	secret = rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for h, l := range s.links {
		if !now.Before(l.until) {
			delete(s.links, h)
		}
	}
	for len(s.links) >= maxLinks {
		drop(s.links, func(l link) time.Time { return l.until })
	}
	s.links[sha256.Sum256([]byte(secret))] = link{p, now.Add(LinkTime)}
	return secret
}

// Enter spends a link and begins a session; nil if the link does not hold. cookie is
// what the person's browser keeps.
func (s *Sessions) Enter(secret string) (begun *Session, cookie string) {
	h := hash(sha256.Sum256([]byte(secret)))
	s.mu.Lock()
	defer s.mu.Unlock()
	l, known := s.links[h]
	delete(s.links, h)
	if !known || !s.now().Before(l.until) {
		return nil, ""
	}
	return s.begin(l.person, Time)
}

// Begin begins the session of a person who was identified in another way. It is over
// after some time, at most [Time].
func (s *Sessions) Begin(p Person, lasts time.Duration) (begun *Session, cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begin(p, min(lasts, Time))
}

func (s *Sessions) begin(p Person, lasts time.Duration) (*Session, string) {
	now := s.now()
	for h, old := range s.open {
		if !now.Before(old.Until) {
			s.end(h)
		}
	}
	for len(s.open) >= maxSessions {
		s.end(oldest(s.open, func(o *Session) time.Time { return o.Until }))
	}
	begun, cookie := &Session{Person: p, Token: rand.Text(), Until: now.Add(lasts), ended: make(chan struct{})}, rand.Text()
	s.open[sha256.Sum256([]byte(cookie))] = begun
	return begun, cookie
}

// Find returns the session of a cookie, or nil.
func (s *Sessions) Find(cookie string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := hash(sha256.Sum256([]byte(cookie)))
	found := s.open[h]
	if found != nil && !s.now().Before(found.Until) {
		s.end(h)
		return nil
	}
	return found
}

// End ends a session.
func (s *Sessions) End(over *Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for h, o := range s.open {
		if o == over {
			s.end(h)
		}
	}
}

// Close ends all sessions and forgets all links.
func (s *Sessions) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.links)
	for h := range s.open {
		s.end(h)
	}
}

func (s *Sessions) end(h hash) {
	close(s.open[h].ended)
	delete(s.open, h)
}

func oldest[V any](all map[hash]V, at func(V) time.Time) (first hash) {
	begun := false
	for h, v := range all {
		if !begun || at(v).Before(at(all[first])) {
			first, begun = h, true
		}
	}
	return first
}

func drop[V any](all map[hash]V, at func(V) time.Time) { delete(all, oldest(all, at)) }
