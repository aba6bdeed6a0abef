package signin

import (
	"net/http"
	"strings"
	"testing"
)

// Challenges are whatever a server writes into a header.
func FuzzChallenges(f *testing.F) {
	f.Add(`Bearer error="insufficient_scope", scope="a b", resource_metadata="https://example.com/x"`)
	f.Add(`Basic realm="x", Bearer scope="\"`)
	f.Add("Bearer scope=,=")
	f.Fuzz(func(t *testing.T, header string) {
		for _, s := range validScopes(scopesOf(challengesOf(&http.Response{Header: http.Header{"Www-Authenticate": {header}}}))) {
			if s == "" || len(s) > maxScope || strings.ContainsAny(s, " \"\\\r\n\x00") {
				t.Errorf("%q is a scope of %q", s, header)
			}
		}
	})
}
