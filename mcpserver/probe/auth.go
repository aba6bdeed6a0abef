package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/risk/score"
)

const (
	// maxIssuers bounds the authorization servers that are asked: a resource has one or two.
	maxIssuers = 5
	resourceAt = "/.well-known/oauth-protected-resource"
	serverAt   = "/.well-known/oauth-authorization-server"
	openIDAt   = "/.well-known/openid-configuration"
)

var resourceParameter = regexp.MustCompile(`(?i)\bresource_metadata\s*=\s*(?:"([^"]*)"|([^\s,]+))`)

// authorization walks from a challenge to the metadata of the authorization servers.
func (s *scan) authorization(ctx context.Context, w *wall) {
	a := &score.Auth{Status: w.status, Challenge: w.challenge}
	for _, place := range s.resourcePlaces(w.challenge) {
		if raw := s.document(ctx, a, place); raw != nil {
			a.Resource = &score.Document{From: place, Raw: raw}
			break
		}
	}
	var issuers []string
	if a.Resource != nil {
		for _, issuer := range gjson.GetBytes(a.Resource.Raw, "authorization_servers").Array() {
			if issuer.Str != "" && len(issuers) < maxIssuers {
				issuers = append(issuers, cut(issuer.Str, maxURI))
			}
		}
	} else {
		// Before 2025-06-18 the server itself was the authorization server.
		issuers = []string{s.url.Scheme + "://" + s.url.Host}
	}
	for _, issuer := range issuers {
		doc := s.server(ctx, a, issuer)
		if a.Resource != nil || doc.Raw != nil { // a guess that found nothing names nobody
			a.Issuers = append(a.Issuers, doc)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.Auth = a
}

// resourcePlaces are the addresses of the protected resource document, best first.
func (s *scan) resourcePlaces(challenge string) []string {
	var places []string
	if m := resourceParameter.FindStringSubmatch(challenge); m != nil {
		places = append(places, m[1]+m[2])
	}
	origin := s.url.Scheme + "://" + s.url.Host
	if path := strings.TrimSuffix(s.url.EscapedPath(), "/"); path != "" {
		places = append(places, origin+resourceAt+path)
	}
	return append(places, origin+resourceAt)
}

// server fetches the metadata of one authorization server: RFC 8414 with the path after
// the well-known part, then OpenID Connect in both of its forms.
func (s *scan) server(ctx context.Context, a *score.Auth, issuer string) score.Document {
	doc := score.Document{Issuer: issuer}
	u, err := url.Parse(issuer)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		a.Fetches = append(a.Fetches, score.Fetch{URL: issuer, Problem: "is no http or https URL"})
		return doc
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	places := []string{origin + serverAt + path, origin + openIDAt + path}
	if path != "" {
		places = append(places, origin+path+openIDAt)
	}
	for _, place := range places {
		raw := s.document(ctx, a, place)
		if raw == nil {
			continue
		}
		if stated := gjson.GetBytes(raw, "issuer").String(); strings.TrimSuffix(stated, "/") != strings.TrimSuffix(issuer, "/") {
			a.Fetches[len(a.Fetches)-1].Problem = "states another issuer"
			continue
		}
		doc.From, doc.Raw = place, raw
		return doc
	}
	return doc
}

// document fetches a JSON object. It records the fetch and returns nil if there is none.
func (s *scan) document(ctx context.Context, a *score.Auth, place string) json.RawMessage {
	ctx, cancel := context.WithTimeout(ctx, s.Prober.o.Timeout)
	defer cancel()
	f := score.Fetch{URL: cut(place, maxURI)}
	raw, err := s.fetch(ctx, place, &f)
	if err != nil {
		f.Problem = cut(err.Error(), maxWhy)
	}
	a.Fetches = append(a.Fetches, f)
	return raw
}

func (s *scan) fetch(ctx context.Context, place string, f *score.Fetch) (json.RawMessage, error) {
	u, err := url.Parse(place)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, errors.New("is no http or https URL")
	}
	u.User = nil
	resp, _, err := s.follow(ctx, "metadata", u)
	if resp != nil {
		defer resp.Body.Close()
		f.Status, f.ContentType = resp.StatusCode, cut(resp.Header.Get("Content-Type"), maxWhy)
	}
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d", resp.StatusCode)
	}
	raw, err := io.ReadAll(&bounded{body: resp.Body, over: func() { s.stop("size", "metadata") }})
	if err != nil {
		return nil, err
	}
	if !json.Valid(raw) || !gjson.ParseBytes(raw).IsObject() {
		return nil, errNoObject
	}
	return raw, nil
}
