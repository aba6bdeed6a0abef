package probe

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/glovebox-run/glovebox/risk/score"
)

// foreignOrigin is a site that cannot exist (RFC 6761, 6.4).
const foreignOrigin = "https://glovebox-rebind-probe.invalid"

// greeting is the only message that the scanner writes itself.
const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":%q}}}`

// origin sends initialize with the Origin of another site, as a page in a visitor's
// browser would. With the older transport the stream is what a page would open.
func (s *scan) origin(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.Prober.o.Timeout)
	defer cancel()
	seen := &score.Origin{Sent: foreignOrigin}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.o.Origin = seen
	}()
	method, body := http.MethodPost, fmt.Sprintf(greeting, s.Prober.o.Name, s.Prober.o.Version)
	if s.o.Target.Kind == score.SSE {
		method, body = http.MethodGet, ""
	}
	resp, err := s.fromElsewhere(ctx, method, body, "")
	if err != nil {
		s.failed("request with a foreign Origin", err)
		return
	}
	defer resp.Body.Close()
	seen.Status = resp.StatusCode
	if id := resp.Header.Get("Mcp-Session-Id"); id != "" && resp.StatusCode < 300 {
		if bye, err := s.fromElsewhere(ctx, http.MethodDelete, "", id); err == nil { // the session is nobody's
			bye.Body.Close()
		}
	}
}

func (s *scan) fromElsewhere(ctx context.Context, method, body, session string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url.String(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range s.Prober.o.Header {
		req.Header[name] = values
	}
	req.Header.Set("User-Agent", s.Prober.o.Name+"/"+s.Prober.o.Version)
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Origin", foreignOrigin)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	return s.withTokens().RoundTrip(req)
}
