package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/glovebox-run/glovebox/mcpserver/oauth"
	"github.com/glovebox-run/glovebox/risk"
)

// peer is who sends requests, as authentication has it.
type peer struct {
	principal string
	grant     *oauth.Grant // nil: nothing was granted by an issuer, so nothing limits it
	counted   bool         // its messages are admitted before they come to us
}

// anybody is everyone who reaches a server over HTTP that is open.
const anybody = "http"

// peerOf is who sent a request. A session over streams belongs to one peer; over
// HTTP each request says whose it is.
func (s *Server) peerOf(req *mcp.CallToolRequest) peer {
	if p, ok := s.peers.Load(req.Session); ok {
		return p.(peer)
	}
	if req.Extra == nil {
		return peer{principal: anybody, counted: true}
	}
	return peerOver(req.Extra.TokenInfo)
}

// peerOver is who sent a request over HTTP.
func peerOver(info *auth.TokenInfo) peer {
	if info == nil {
		return peer{principal: anybody, counted: true}
	}
	p := peer{principal: info.UserID, counted: true}
	if grant, ok := info.Extra[grantKey].(oauth.Grant); ok {
		p.grant = &grant
	}
	return p
}

func peerIn(ctx context.Context) peer { return peerOver(auth.TokenInfoFromContext(ctx)) }

// lacks returns the scopes that a call needs and was not granted.
func (p peer) lacks(tool string, level risk.Level) []string {
	if p.grant == nil {
		return nil
	}
	return p.grant.Lacks(tool, level)
}

const grantKey = "grant" // in TokenInfo.Extra

type infoKey struct{}

// authenticated admits whoever sends the token, or one of the issuer's.
func (s *Server) authenticated(h HTTP, next http.Handler) http.Handler {
	if h.Open {
		return next
	}
	// The SDK binds a session to who opened it, and learns that from its own
	// middleware alone.
	told := auth.RequireBearerToken(func(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
		return ctx.Value(infoKey{}).(*auth.TokenInfo), nil
	}, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		info, err := h.identify(r)
		if err != nil {
			s.config.Logger.Info("a request was not let in", "cause", err)
			s.config.Telemetry.TurnedAway("token")
			h.notLetIn(w, err)
			return
		}
		ctx := context.WithValue(r.Context(), infoKey{}, info)
		if p := peerOver(info); p.grant != nil && !p.grant.Expires.IsZero() && isStream(r) {
			// What is asked is checked with every request; what is only listened to
			// ends with the token.
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, p.grant.Expires)
			defer cancel()
		}
		told.ServeHTTP(w, r.WithContext(ctx))
	})
}

// isStream reports whether the answer to a request stays open for as long as the
// client likes. The SDK refuses a header that says something else than the body.
func isStream(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Header.Get("Mcp-Method") == "subscriptions/listen"
}

var (
	errNoToken   = errors.New("no bearer token")
	errNotOurs   = errors.New("another bearer token")
	errTwoTokens = errors.New("more than one Authorization header")
)

// identify says who sent a request.
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
	if h.OAuth == nil {
		return nil, errNotOurs
	}
	grant, err := h.OAuth.Verify(r.Context(), fields[1])
	if err != nil {
		return nil, err
	}
	return &auth.TokenInfo{UserID: grant.Principal(), Scopes: grant.Scopes, Extra: map[string]any{grantKey: grant}}, nil
}

// issuerRetry is when to come back after the issuer could not be asked.
const issuerRetry = 10 * time.Second

func (h HTTP) notLetIn(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, errTwoTokens):
		http.Error(w, err.Error(), http.StatusBadRequest)
	case errors.Is(err, oauth.ErrUnavailable):
		// Not 401: the token may be good, and a client would throw it away.
		w.Header().Set("Retry-After", strconv.Itoa(int(issuerRetry.Seconds())))
		http.Error(w, oauth.ErrUnavailable.Error(), http.StatusServiceUnavailable)
	case h.OAuth != nil:
		w.Header().Set("WWW-Authenticate", h.OAuth.Challenge(err))
		http.Error(w, "an access token is needed", http.StatusUnauthorized)
	default:
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "a bearer token is needed", http.StatusUnauthorized)
	}
}

// scoped refuses calls for which the token lacks scopes, in the way that lets a
// client ask its user for more. That is for the client's good: what counts is
// checked again when the call is judged, on what the SDK made of the same bytes.
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
		var lacks []string
		for _, m := range r.Body.(*received).Messages {
			if m.Method != "tools/call" {
				continue
			}
			if tool := s.published.Find(m.Tool); tool != nil {
				lacks = append(lacks, p.lacks(m.Tool, tool.About().Level)...)
			}
		}
		if len(lacks) > 0 {
			s.config.Logger.Info("a call lacks scopes", "principal", p.principal, "scopes", lacks)
			s.config.Telemetry.TurnedAway("scope")
			w.Header().Set("WWW-Authenticate", h.OAuth.Insufficient(*p.grant, lacks))
			http.Error(w, "the access token lacks a scope: "+strings.Join(lacks, " "), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
