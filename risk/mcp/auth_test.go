package mcp

import "testing"

func TestConnectionAuth(t *testing.T) {
	for _, tc := range []struct {
		connection          string
		default_, reference Auth
		url                 string
	}{
		{`{"url":"https://a.example","headers":{"Authorization":"Bearer x"}}`, AuthBearer, AuthBearer, "https://a.example"},
		{`{"endpoint":"/e","headers":{"X-Api-Key":"x"}}`, AuthBearer, AuthBearer, "/e"},
		{`{"headers":{"Accept":"text/plain","x-goog-api-key":"x"}}`, AuthBearer, AuthBearer, ""},
		{`{"headers":{"User-Agent":"x"}}`, AuthNone, AuthBearer, ""},
		{`{"headers":{}}`, AuthNone, AuthNone, ""},
		{`{"headers":null}`, AuthNone, AuthNone, ""},
		{`{"headers":["Authorization"]}`, AuthNone, AuthNone, ""},
		{`{"oauth":{},"headers":{"Authorization":"x"}}`, AuthOAuthStandard, AuthOAuthStandard, ""},
		{`{"oauth":null,"url":7,"endpoint":"/e"}`, AuthNone, AuthNone, "/e"},
		{`{"url":"https://a.example"`, AuthNone, AuthNone, ""},
		{``, AuthNone, AuthNone, ""},
		{`null`, AuthNone, AuthNone, ""},
	} {
		for p, want := range map[Profile]Auth{Default: tc.default_, Reference: tc.reference} {
			if auth, url := ConnectionAuth(p, []byte(tc.connection)); auth != want || url != tc.url {
				t.Errorf("%s, %v: %v and %q, want %v and %q", tc.connection, p, auth, url, want, tc.url)
			}
		}
	}
}

func TestCatalogAuth(t *testing.T) {
	for _, tc := range []struct {
		word, issuer string
		want         Auth
	}{
		{"", "", AuthNone}, {" ", "", AuthNone}, {"none", "", AuthNone}, {"basic", "", AuthNone},
		{"api_key", "", AuthAPIKey}, {"ApiKey", "", AuthAPIKey}, {"API-KEY", "", AuthAPIKey},
		{" bearer ", "", AuthBearer}, {"oauth_or_pat", "https://x.example/oob", AuthOAuthStandard},
		{"oauth_custom", "", AuthOAuthCustom}, {"OAUTH-CUSTOM", "", AuthOAuthCustom},
		{"oauth", "", AuthOAuthStandard}, {"oauth", "https://accounts.example", AuthOAuthStandard},
		{"oauth", "urn:ietf:wg:oauth:2.0:oob", AuthOAuthCustom}, {"oauth", "https://x.example/custom", AuthOAuthCustom},
		{"oauth", "https://x.example/manual-paste", AuthOAuthCustom},
	} {
		for _, p := range []Profile{Default, Reference} {
			if got := CatalogAuth(p, tc.word, tc.issuer); got != tc.want {
				t.Errorf("%q from %q, %v: %v, want %v", tc.word, tc.issuer, p, got, tc.want)
			}
		}
	}
}
