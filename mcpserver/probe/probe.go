package probe

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/session"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/transport"
	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/risk/score"
)

// Options say how to look. The zero value looks at nothing: it has no way to dial.
type Options struct {
	Name, Version string // what servers are told about the client
	Vantage       string // where the scan runs, for the report

	Resolve netguard.Resolve
	Dial    netguard.Dial
	Roots   *x509.CertPool // nil for the system's
	// AllowPrivate permits private addresses for the host of the target; what it names
	// elsewhere stays public.
	AllowPrivate bool

	// Header goes with every request to the target's origin and nowhere else, such as
	// Authorization. Depth says where it came from.
	Header http.Header
	Depth  score.Depth
	Era    session.Era
	// Tokens adds tokens to the requests that Header goes with; nil for none. Secrets are
	// what it may add, beside Header's values.
	Tokens  func(http.RoundTripper) http.RoundTripper
	Secrets func() []string

	Sanitiser *egress.Sanitiser
	Now       func() time.Time
	// Timeout bounds one request; zero is score.CallTimeout.
	Timeout time.Duration
}

// Prober looks at servers. It is safe for concurrent use.
type Prober struct{ o Options }

// New returns a prober.
func New(o Options) *Prober {
	if o.Timeout == 0 {
		o.Timeout = score.CallTimeout
	}
	if o.Depth == "" {
		o.Depth = score.Passive
	}
	return &Prober{o}
}

// ErrTarget is a target that cannot be looked at: no URL, or an address that is refused.
var ErrTarget = errors.New("the target cannot be scanned")

// scan is the state of one look.
type scan struct {
	*Prober
	url *url.URL
	rt  *router

	mu sync.Mutex
	o  score.Observation
}

// HTTP looks at a URL over streamable HTTP or, with kind score.SSE, over the older
// transport. The error is an ErrTarget; what goes wrong later is in the observation.
func (p *Prober) HTTP(ctx context.Context, raw string, kind score.Kind) (score.Observation, error) {
	s, err := p.target(raw, kind)
	if err != nil {
		return score.Observation{}, err
	}
	defer s.rt.close()

	var parts sync.WaitGroup
	parts.Go(func() { s.wire(ctx) })
	parts.Go(func() { s.origin(ctx) })
	wall := s.look(ctx, s.dial)
	parts.Wait()
	if wall != nil {
		s.authorization(ctx, wall)
	}
	return p.finish(s.o)
}

// Dial returns how HTTP connects to a URL: within the same bounds and behind the same
// guard. It is for package active; done ends what it holds.
func (p *Prober) Dial(raw string, kind score.Kind) (dial session.Dial, done func(), err error) {
	s, err := p.target(raw, kind)
	if err != nil {
		return nil, nil, err
	}
	return s.dial, s.rt.close, nil
}

// target begins a scan of a URL.
func (p *Prober) target(raw string, kind score.Kind) (*scan, error) {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, fmt.Errorf("%w: %q is no http or https URL", ErrTarget, raw)
	}
	// A URL with a password is looked at without it: the rule needs the fact alone.
	bare := *u
	bare.User, bare.Fragment = nil, ""
	rt, err := p.route(&bare)
	if err != nil {
		return nil, err
	}
	return &scan{Prober: p, url: &bare, rt: rt, o: p.blank(score.Target{Kind: kind, URL: raw})}, nil
}

// Conn looks at a server over a connection that dial makes, such as the streams of a
// process. It starts nothing itself.
func (p *Prober) Conn(ctx context.Context, target score.Target, dial session.Dial) (score.Observation, error) {
	s := &scan{Prober: p, o: p.blank(target)}
	s.look(ctx, dial)
	return p.finish(s.o)
}

// Listed makes an observation of what somebody else has listed, and redacts it.
func (p *Prober) Listed(target score.Target, hello score.Hello, tools, resources, prompts score.Listing) (score.Observation, error) {
	o := p.blank(target)
	o.Hello, o.Tools, o.Resources, o.Prompts = &hello, tools, resources, prompts
	return p.finish(o)
}

func (p *Prober) blank(target score.Target) score.Observation {
	return score.Observation{Version: score.ObservationVersion, Target: target, Seen: p.o.Now().UTC(), Vantage: p.o.Vantage, Depth: p.o.Depth}
}

// finish replaces secrets. The key makes the hashes of this scan useless for others.
func (p *Prober) finish(o score.Observation) (score.Observation, error) {
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return score.Observation{}, err
	}
	return score.Redact(o, p.o.Sanitiser, egress.NewSession(key, egress.NewMasker(p.given()))), nil
}

// given lists the operator's own secrets, which a server may echo.
func (p *Prober) given() []string {
	var all []string
	if p.o.Secrets != nil {
		all = p.o.Secrets()
	}
	for _, values := range p.o.Header {
		for _, v := range values {
			all = append(all, v)
			if _, token, ok := strings.Cut(v, " "); ok {
				all = append(all, token)
			}
		}
	}
	return all
}

// dial connects to the target with the operator's header.
func (s *scan) dial(ctx context.Context, handle transport.Handle, dropped func(transport.Drop)) (transport.Conn, error) {
	header := http.Header{"User-Agent": {s.Prober.o.Name + "/" + s.Prober.o.Version}}
	for name, values := range s.Prober.o.Header {
		header[name] = values
	}
	rt := &watcher{next: s.withTokens(), scan: s, stream: s.o.Target.Kind == score.SSE}
	if s.o.Target.Kind == score.SSE {
		return transport.NewSSE(ctx, s.url, rt, header, handle, dropped)
	}
	return transport.NewHTTP(s.url, rt, header, handle, dropped), nil
}

// withTokens is how requests go out that carry the operator's credentials.
func (s *scan) withTokens() http.RoundTripper {
	if s.Prober.o.Tokens == nil {
		return s.rt
	}
	return s.Prober.o.Tokens(s.rt)
}

// stop records that a bound ended a step, once for each.
func (s *scan) stop(bound, step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.o.Stops {
		if known.Bound == bound {
			return
		}
	}
	s.o.Stops = append(s.o.Stops, score.Stop{Bound: bound, At: step})
}

// failed records why a step did not succeed.
func (s *scan) failed(step string, err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		s.stop("time", step)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.o.Failures = append(s.o.Failures, score.Failure{At: step, Why: cut(err.Error(), maxWhy)})
}

// maxWhy bounds an error's text, which may quote a server, in bytes.
const maxWhy = 500

func cut(s string, n int) string {
	if len(s) > n {
		return strings.ToValidUTF8(s[:n], "")
	}
	return s
}
