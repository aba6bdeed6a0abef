package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/oauth"
	"github.com/glovebox-run/glovebox/risk"
)

// peer is the authenticated sender of a request.
type peer struct {
	principal string
	grant     *oauth.Grant // nil: no issuer granted it scopes, so none limit it
	counted   bool         // its messages were already admitted
	holder    *Holder      // of a named token; nil: nothing more is limited by one
}

// anybody is the principal of every client of an open HTTP server.
const anybody = "http"

// peerOf returns the sender of a request. A session over streams belongs to one
// peer; over HTTP each request authenticates itself.
func (s *Server) peerOf(session *mcp.ServerSession, extra *mcp.RequestExtra) peer {
	if p, ok := s.peers.Load(session); ok {
		return p.(peer)
	}
	if extra == nil {
		return peer{principal: anybody, counted: true}
	}
	return peerOver(extra.TokenInfo)
}

// peerOver returns the sender of a request over HTTP.
func peerOver(info *auth.TokenInfo) peer {
	if info == nil {
		return peer{principal: anybody, counted: true}
	}
	p := peer{principal: info.UserID, counted: true}
	if grant, ok := info.Extra[grantKey].(oauth.Grant); ok {
		p.grant = &grant
	}
	if holder, ok := info.Extra[holderKey].(Holder); ok {
		p.holder = &holder
	}
	return p
}

func peerIn(ctx context.Context) peer { return peerOver(auth.TokenInfoFromContext(ctx)) }

// lacks returns the scopes that a call needs and the peer was not granted.
func (p peer) lacks(tool string, level risk.Level) []string {
	if p.grant == nil {
		return nil
	}
	return p.grant.Lacks(tool, level)
}

const grantKey, holderKey = "grant", "holder" // in TokenInfo.Extra

type infoKey struct{}

// authenticated accepts our bearer token or an access token of the issuer.
func (s *Server) authenticated(h HTTP, next http.Handler) http.Handler {
	if h.Open {
		return next
	}
	// The SDK binds a session to the user that opened it, and takes that user only
	// from its own middleware.
	told := auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		return ctx.Value(infoKey{}).(*auth.TokenInfo), nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, err := h.identify(r)
		if err != nil {
			s.sayNotLetIn(h, err)
			s.config.Telemetry.TurnedAway("token")
			h.notLetIn(w, err)
			return
		}
		ctx := context.WithValue(r.Context(), infoKey{}, info)
		if p := peerOver(info); p.grant != nil && !p.grant.Expires.IsZero() && isStream(r) {
			// Other requests are each checked when they arrive; a stream ends when
			// its token expires.
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, p.grant.Expires)
			defer cancel()
		}
		if p := peerOver(info); p.holder != nil && isStream(r) {
			var cancel context.CancelFunc
			ctx, cancel = p.holder.within(ctx)
			defer cancel()
		}
		told.ServeHTTP(w, r.WithContext(ctx))
	})
}

// sayNotLetIn tells the operator, and nobody else, where the right token is.
func (s *Server) sayNotLetIn(h HTTP, err error) {
	if errors.Is(err, errNotOurs) && h.TokenPlace != "" {
		s.config.Logger.Warn("request.wrong_token", "right_one", h.TokenPlace)
		return
	}
	s.config.Logger.Info("request.not_let_in", "cause", err)
}

// isStream reports whether the answer to a request stays open for as long as the
// client likes. The SDK refuses a header that contradicts the body.
func isStream(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen"
}

var (
	errNoToken   = errors.New("no bearer token")
	errNotOurs   = errors.New("another bearer token")
	errNotKnown  = errors.New("whether this token holds cannot be found out, because the cluster that keeps the tokens does not answer")
	errTwoTokens = errors.New("more than one Authorization header")
)

// identify authenticates the sender of a request.
func (h HTTP) identify(r *http.Request) (*auth.TokenInfo, error) {
	values := r.Header.Values("Authorization")
	if len(values) > 1 {
		return nil, errTwoTokens
	}
	fields := strings.Fields(strings.Join(values, ""))
	if len(fields) != 2 || !strings.EqualFold(fields[0], "bearer") {
		return nil, errNoToken
	}
	if token, _ := h.now(); token.Admits(fields[1]) {
		return &auth.TokenInfo{UserID: token.ID()}, nil
	}
	if h.Named != nil {
		holder, ok, err := h.Named(r.Context(), fields[1])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errNotKnown, err)
		}
		if ok {
			return &auth.TokenInfo{UserID: holder.Principal, Extra: map[string]any{holderKey: holder}}, nil
		}
	}
	if h.OAuth == nil {
		return nil, errNotOurs
	}
	grant, err := h.OAuth.Verify(r.Context(), fields[1])
	if err != nil {
		return nil, err
	}
	return &auth.TokenInfo{UserID: grant.Principal(), Scopes: grant.Scopes, Extra: map[string]any{grantKey: grant}}, nil
}

// issuerRetry is the Retry-After when the issuer is unavailable, storeRetry when the
// store is.
const issuerRetry, storeRetry = 10 * time.Second, 2 * time.Second

func (h HTTP) notLetIn(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errTwoTokens):
		http.Error(w, err.Error(), http.StatusBadRequest)
	case errors.Is(err, errNotKnown):
		// Not 401, for the same reason as below.
		w.Header().Set("Retry-After", strconv.Itoa(int(storeRetry.Seconds())))
		http.Error(w, errNotKnown.Error(), http.StatusServiceUnavailable)
	case errors.Is(err, oauth.ErrUnavailable):
		// Not 401: the token may be good, and the client would discard it.
		w.Header().Set("Retry-After", strconv.Itoa(int(issuerRetry.Seconds())))
		http.Error(w, oauth.ErrUnavailable.Error(), http.StatusServiceUnavailable)
	case h.OAuth != nil:
		w.Header().Set("WWW-Authenticate", h.OAuth.Challenge(err))
		http.Error(w, "an access token is needed", http.StatusUnauthorized)
	case errors.Is(err, errNotOurs):
		// RFC 6750, 3.1: a token that was sent and is wrong is named as such.
		w.Header().Set("WWW-Authenticate", `Bearer realm="glovebox", error="invalid_token", error_description="this token is not, or no longer, valid here"`)
		http.Error(w, "this bearer token is not, or no longer, valid here", http.StatusUnauthorized)
	default:
		// A request without a token gets no error code.
		w.Header().Set("WWW-Authenticate", `Bearer realm="glovebox"`)
		http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
	}
}

// scoped refuses calls for which the token lacks scopes, with the challenge that
// lets a client ask its user for more. This is a courtesy to the client: the
// binding check is made when the call is judged, on what the SDK decoded.
func (s *Server) scoped(h HTTP, next http.Handler) http.Handler {
	if h.OAuth == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := peerIn(r.Context())
		if p.grant == nil {
			next.ServeHTTP(w, r)
			return
		}
		v := s.content.view(r.PathValue("view"))
		var lacks []string
		for _, m := range r.Body.(*received).Messages {
			if m.Method != "tools/call" || v == nil {
				continue
			}
			if tool := v.find(m.Tool, p); tool != nil {
				lacks = append(lacks, p.lacks(m.Tool, tool.About().Level)...)
			}
		}
		if len(lacks) > 0 {
			s.config.Logger.Info("call.lacks_scopes", "principal", p.principal, "scopes", lacks)
			s.config.Telemetry.TurnedAway("scope")
			w.Header().Set("WWW-Authenticate", h.OAuth.Insufficient(*p.grant, lacks))
			http.Error(w, "the access token lacks a scope: "+strings.Join(lacks, " "), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
