package mcp

import (
	"encoding/json"
	"strings"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// Auth is how a server authenticates its callers. The zero value is none.
type Auth uint8

const (
	AuthNone Auth = iota
	AuthAPIKey
	AuthBearer
	AuthOAuthStandard
	AuthOAuthCustom // an authorization flow that is not the standard redirect
)

var authNames = [...]string{"none", "api_key", "bearer", "oauth_standard", "oauth_custom"}

// String returns the name in lower case, such as "oauth_standard".
func (a Auth) String() string { return nameOf(authNames[:], uint8(a)) }

// ParseAuth reads what String writes, in any case.
func ParseAuth(s string) (Auth, error) {
	i, err := parseName("auth", authNames[:], s)
	return Auth(i), err
}

// MarshalText writes the name as String does.
func (a Auth) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what ParseAuth reads.
func (a *Auth) UnmarshalText(text []byte) (err error) {
	*a, err = ParseAuth(string(text))
	return err
}

// customIssuers mark an issuer that requires a person to paste a code. The reference
// matches them case-sensitively, in lower case only.
var customIssuers = []string{"oob", "custom", "manual-paste"}

// CatalogAuth reads the auth word of a catalog entry's first transport.
func CatalogAuth(p Profile, word, issuerURI string) Auth {
	switch strings.ToUpper(strings.TrimSpace(word)) {
	case "API_KEY", "APIKEY", "API-KEY":
		return AuthAPIKey
	case "BEARER":
		return AuthBearer
	case "OAUTH_OR_PAT":
		return AuthOAuthStandard
	case "OAUTH_CUSTOM", "OAUTH-CUSTOM":
		return AuthOAuthCustom
	case "OAUTH":
		if p != Reference {
			issuerURI = strings.ToLower(issuerURI)
		}
		for _, mark := range customIssuers {
			if strings.Contains(issuerURI, mark) {
				return AuthOAuthCustom
			}
		}
		return AuthOAuthStandard
	}
	return AuthNone
}

// ConnectionAuth reads auth and URL from the JSON of a stored connection that no
// catalog entry describes. Unreadable JSON yields no auth and no URL.
func ConnectionAuth(p Profile, connection []byte) (auth Auth, rawURL string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(connection, &fields) != nil {
		return AuthNone, ""
	}
	for _, key := range []string{"url", "endpoint"} {
		var text *string
		if json.Unmarshal(fields[key], &text) == nil && text != nil {
			rawURL = *text
			break
		}
	}
	if oauth := fields["oauth"]; len(oauth) > 0 && string(oauth) != "null" {
		return AuthOAuthStandard, rawURL
	}
	var headers map[string]json.RawMessage
	if json.Unmarshal(fields["headers"], &headers) == nil {
		for name := range headers {
			if p == Reference || carriesCredential(name) {
				return AuthBearer, rawURL
			}
		}
	}
	return AuthNone, rawURL
}

// credentialWords are words in a header name that mark it as identifying the
// caller: a User-Agent or an Accept header is not authentication.
var credentialWords = map[string]bool{
	"authorization": true, "auth": true, "authentication": true, "token": true, "apikey": true,
	"key": true, "cookie": true, "secret": true, "credential": true, "credentials": true, "password": true, "pat": true,
}

func carriesCredential(header string) bool {
	for _, word := range capability.Words(header) {
		if credentialWords[word] {
			return true
		}
	}
	return false
}
