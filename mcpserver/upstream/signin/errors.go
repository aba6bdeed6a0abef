package signin

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"golang.org/x/oauth2"
)

// LoginRequired is the error of a server that only a person can sign in to.
type LoginRequired struct {
	Upstream string
	Reason   string
}

func (e *LoginRequired) Error() string {
	return fmt.Sprintf("%s needs a sign-in: %s; run glovebox upstream login %s", e.Upstream, e.Reason, e.Upstream)
}

// ScopeRequired is the error of a server that wants more than was granted. Nothing is asked
// for without a person: the next login asks for it.
type ScopeRequired struct {
	Upstream string
	Scopes   []string // as the server names them
}

func (e *ScopeRequired) Error() string {
	return fmt.Sprintf("%s wants more than was granted, %q; run glovebox upstream login %s to grant it", e.Upstream, e.Scopes, e.Upstream)
}

// Refused is the answer no of an issuer.
type Refused struct {
	Status int
	Code   string // of RFC 6749, such as invalid_grant; empty if it gave none
}

func (e *Refused) Error() string {
	if e.Code == "" {
		return fmt.Sprintf("the issuer answers %d %s", e.Status, http.StatusText(e.Status))
	}
	return "the issuer says " + e.Code
}

// final reports whether asking again is of no use.
func (e *Refused) final() bool {
	switch e.Code {
	case "invalid_grant", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target":
		return true
	}
	return false
}

// plain takes out of an error what the issuer has written, which may be anything, and may be
// our own request with its secrets.
func plain(err error) error {
	var answered *oauth2.RetrieveError
	if errors.As(err, &answered) {
		refused := &Refused{Code: code(answered.ErrorCode)}
		if answered.Response != nil {
			refused.Status = answered.Response.StatusCode
		}
		return refused
	}
	return err
}

// code is an error code, if it is one.
func code(s string) string {
	const longest = 64 // bytes; those of the RFCs have up to 31
	if len(s) > longest || strings.ContainsFunc(s, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		return "an error that is no code"
	}
	return s
}
