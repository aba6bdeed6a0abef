package console

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/session"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/mcpserver/oauth"
)

// SignIn lets people in who signed in at an issuer. The zero value lets nobody in.
type SignIn struct {
	Party *oauth.Party
	// Claim is the claim that decides, a text or a list of texts; see
	// [oauth.Claims.Texts].
	Claim string
	// Look, Answer and Manage are the values of the claim that give each role. The
	// highest counts. A value is compared whole; without one of them nobody gets in.
	Look, Answer, Manage []string
	// Called is the claim that says what somebody is called; may be empty.
	Called string
	// Lasts is how long a session lasts, at most 12 hours: for that long it does not
	// matter that the issuer has changed its mind.
	Lasts time.Duration
}

// Maps reports whether any value of the claim gives a role.
func (s *SignIn) Maps() bool { return len(s.Look)+len(s.Answer)+len(s.Manage) > 0 }

// admitted is why somebody has a role.
type admitted struct {
	Role   string `json:"role"`
	Issuer string `json:"issuer,omitempty"`
	// Subject is who they are there.
	Subject string `json:"subject,omitempty"`
	Claim   string `json:"claim,omitempty"`
	Value   string `json:"value,omitempty"` // of the claim, that gave the role
}

// emailClaim is a claim that anybody can have with any value, unless the issuer has
// checked it.
const emailClaim = "email"

// role returns the role of a person and the value that gave it, or why they have none.
func (s *SignIn) role(claims oauth.Claims) (role session.Role, value string, err error) {
	values, err := claims.Texts(s.Claim)
	switch {
	case errors.Is(err, oauth.ErrNoClaim):
		return session.Nobody, "", fmt.Errorf("the issuer said nothing in the claim %s, which decides who is let in", s.Claim)
	case err != nil:
		return session.Nobody, "", fmt.Errorf("the claim %s, which decides who is let in, is neither a text nor a list of texts", s.Claim)
	case s.Claim == emailClaim && !claims.True("email_verified"):
		return session.Nobody, "", errors.New("the claim email decides who is let in, and the issuer has not checked yours (email_verified)")
	}
	for _, row := range []struct {
		is   session.Role
		want []string
	}{{session.Manage, s.Manage}, {session.Answer, s.Answer}, {session.Look, s.Look}} {
		for _, v := range values {
			if slices.Contains(row.want, v) {
				return row.is, v, nil
			}
		}
	}
	if len(values) == 0 {
		return session.Nobody, "", fmt.Errorf("the claim %s, which decides who is let in, is empty", s.Claim)
	}
	return session.Nobody, "", fmt.Errorf("the claim %s decides who is let in, and has no value that gives a role: %s", s.Claim, listed(values))
}

// Of the values of a claim so many are shown, and so many bytes of each.
const (
	mostValues  = 8
	longestName = 80
)

func listed(values []string) string {
	var b strings.Builder
	for i, v := range values {
		if i == mostValues {
			fmt.Fprintf(&b, " and %d more", len(values)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(shown.Cut(v, longestName)))
	}
	return b.String()
}

// person is who has signed in, with a role.
func (s *SignIn) person(i *oauth.Identity, role session.Role) session.Person {
	called, _ := i.Claims.Text(s.Called)
	if called == "" {
		called = i.Subject
	}
	return session.Person{Name: i.Principal(), Role: role, Issuer: hostOf(i.Issuer), Called: shown.Cut(called, longestName), Leave: i.Leave}
}
