// Package dcr gets a token for one scan of a server behind authorization: it registers
// a client with the server's own authorization server (RFC 7591) and asks for a token by
// client credentials. It is for a person who asked for it, because it leaves something
// behind where [Token.Forget] cannot take it back. Secrets stay in memory.
package dcr

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/probe"
	"github.com/glovebox-run/glovebox/risk/score"
)

// ErrNotOffered means that no authorization server of the target registers clients that
// sign in by themselves.
var ErrNotOffered = errors.New("no authorization server of it offers both registration and client credentials")

// Token is what a scan signs in with. Header goes with requests to the target alone.
type Token struct {
	Header  http.Header
	Secrets []string // what must not be shown: the token, and what it was got with

	client       *http.Client
	manage, pass string // RFC 7592; empty if the server has no way to undo a registration
}

// maxSecret bounds what is taken for a secret, in bytes; requests carry it as a header.
const maxSecret = 16 << 10

// Get registers a client and gets a token for a server that a scan found behind
// authorization. The scan's options say how to dial; what the target names is dialled
// only at public addresses, and what is on the target's host as the target is.
func Get(ctx context.Context, o probe.Options, seen *score.Observation) (*Token, error) {
	if seen.Auth == nil {
		return nil, errors.New("the server demands no authorization")
	}
	i := slices.IndexFunc(seen.Auth.Issuers, offers)
	if i < 0 {
		return nil, ErrNotOffered
	}
	target, err := url.Parse(seen.Target.URL)
	if err != nil {
		return nil, err
	}
	doc := seen.Auth.Issuers[i].Raw
	t := &Token{client: client(o, target.Hostname())}
	asked, err := json.Marshal(map[string]any{"client_name": o.Name + " scan", "grant_types": []string{"client_credentials"}, "token_endpoint_auth_method": "client_secret_basic"})
	if err != nil {
		return nil, err
	}
	made, err := t.post(ctx, gjson.GetBytes(doc, "registration_endpoint").Str, "application/json", asked, "", "")
	if err != nil {
		return nil, fmt.Errorf("registration: %w", err)
	}
	id, secret := made.Get("client_id").Str, made.Get("client_secret").Str
	t.manage, t.pass = made.Get("registration_client_uri").Str, made.Get("registration_access_token").Str
	t.Secrets = []string{secret, t.pass}
	if id == "" || secret == "" {
		t.Forget(ctx)
		return nil, errors.New("registration: the answer has no client_id and client_secret")
	}
	form := url.Values{"grant_type": {"client_credentials"}, "resource": {resource(seen)}}
	granted, err := t.post(ctx, gjson.GetBytes(doc, "token_endpoint").Str, "application/x-www-form-urlencoded", []byte(form.Encode()), url.QueryEscape(id), url.QueryEscape(secret))
	token := granted.Get("access_token").Str
	if err == nil && (token == "" || len(token) > maxSecret || strings.ContainsAny(token, "\r\n") || !strings.EqualFold(granted.Get("token_type").Str, "bearer")) {
		err = errors.New("the answer has no bearer token")
	}
	if err != nil {
		t.Forget(ctx)
		return nil, fmt.Errorf("token: %w", err)
	}
	t.Secrets = append(t.Secrets, token)
	t.Header = http.Header{"Authorization": {"Bearer " + token}}
	return t, nil
}

func offers(d score.Document) bool {
	doc := gjson.ParseBytes(d.Raw)
	for _, grant := range doc.Get("grant_types_supported").Array() {
		if grant.Str == "client_credentials" {
			return doc.Get("registration_endpoint").Str != "" && doc.Get("token_endpoint").Str != ""
		}
	}
	return false
}

// resource is what the token is for (RFC 8707): what the server calls itself.
func resource(seen *score.Observation) string {
	if r := seen.Auth.Resource; r != nil {
		if name := gjson.GetBytes(r.Raw, "resource").Str; name != "" {
			return name
		}
	}
	return seen.Target.URL
}

// client dials as the scan does, follows no redirect and keeps no connection.
func client(o probe.Options, host string) *http.Client {
	others := &netguard.Guard{Resolve: o.Resolve, Dial: o.Dial, Hosts: netguard.AnyHost()}
	own := &netguard.Guard{Resolve: o.Resolve, Dial: o.Dial, Hosts: netguard.AnyHost(), Private: o.AllowPrivate}
	near, far := own.Transport(o.Roots), others.Transport(o.Roots)
	return &http.Client{
		Timeout:       score.CallTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			r.Close = true
			if r.URL.Hostname() == host {
				return near.RoundTrip(r)
			}
			return far.RoundTrip(r)
		}),
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// post sends a secret, so it takes https, or this machine.
func (t *Token) post(ctx context.Context, to, kind string, body []byte, id, secret string) (gjson.Result, error) {
	u, err := url.Parse(to)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return gjson.Result{}, errors.New("its address is not https")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return gjson.Result{}, err
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("Accept", "application/json")
	if id != "" {
		req.SetBasicAuth(id, secret)
	}
	resp, err := t.client.Do(req)
	if err != nil {
		return gjson.Result{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, score.MaxBody))
	switch {
	case err != nil:
		return gjson.Result{}, err
	case resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusCreated:
		return gjson.Result{}, fmt.Errorf("status %d", resp.StatusCode)
	case !json.Valid(raw) || !gjson.ParseBytes(raw).IsObject():
		return gjson.Result{}, errors.New("the answer is no JSON object")
	}
	return gjson.ParseBytes(raw), nil
}

func loopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

// Forget takes the registration back, where the server says how (RFC 7592).
func (t *Token) Forget(ctx context.Context) {
	u, err := url.Parse(t.manage)
	if err != nil || t.pass == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, u.String(), nil)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+t.pass)
	if resp, err := t.client.Do(req); err == nil {
		resp.Body.Close()
	}
}
