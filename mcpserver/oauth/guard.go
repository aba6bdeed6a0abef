package oauth

import (
	"context"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/glovebox-run/glovebox/risk"
)

// maxName bounds the names of subject and client, in bytes: they become part of
// records and keys. RFC 7519 and providers stay below 255.
const maxName = 512

// Guard verifies the tokens of one issuer. It is safe for concurrent use.
type Guard struct {
	config   Config
	accepted []jose.SignatureAlgorithm
	now      func() time.Time
	issuer   *issuer
	signed   memory   // tokens whose signature was verified
	answers  *answers // nil unless the issuer is asked about every token
}

// Open returns a guard. It contacts the issuer only when the first token arrives,
// so a server starts without it.
func Open(config Config) (*Guard, error) { return open(config, time.Now) }

func open(config Config, now func() time.Time) (*Guard, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	secret, err := secretIn(config.SecretFile)
	if err != nil {
		return nil, err
	}
	if config.Skew == 0 {
		config.Skew = 30 * time.Second
	}
	if config.Cache == 0 {
		config.Cache = 15 * time.Second
	}
	if config.Timeout <= 0 {
		config.Timeout = 5 * time.Second
	}
	g := &Guard{config: config, now: now, accepted: accepted(config.Algorithms)}
	g.issuer = newIssuer(config.Issuer, config.Roots, config.Timeout, func(m metadata) error {
		if config.Introspect {
			return secure(m.IntrospectionEndpoint, "introspection_endpoint")
		}
		return secure(m.JWKSURI, "jwks_uri")
	}, now)
	if config.Introspect {
		g.answers = newAnswers(g.issuer, config, secret)
	}
	return g, nil
}

// accepted returns the algorithms of a configuration; without any, all.
func accepted(names []string) []jose.SignatureAlgorithm {
	if len(names) == 0 {
		return algorithms
	}
	var list []jose.SignatureAlgorithm
	for _, a := range names {
		list = append(list, jose.SignatureAlgorithm(a))
	}
	return list
}

// Reach asks the issuer now for the address of its keys.
func (g *Guard) Reach(ctx context.Context) error {
	_, err := g.issuer.discover(ctx)
	return err
}

// Verify returns what a bearer token grants. The error is an [*Invalid], or wraps
// [ErrUnavailable] if the token could not be checked.
func (g *Guard) Verify(ctx context.Context, token string) (Grant, error) {
	if g.answers == nil {
		return g.verify(ctx, token)
	}
	c, err := g.answers.of(ctx, token)
	if err != nil {
		return Grant{}, err
	}
	if !c.Active {
		return Grant{}, invalid("its issuer says so")
	}
	return g.grant(c)
}

// Grant is the identity and scopes of a token.
type Grant struct {
	Issuer  string
	Subject string
	Client  string    // may be empty
	Expires time.Time // zero if the issuer does not say
	Scopes  []string

	rules []Rule
}

// Principal names the caller in one line. The parts are quoted so that they cannot
// run together.
func (g Grant) Principal() string { return principal(g.Issuer, g.Subject, g.Client) }

// Lacks returns the scopes that a tool needs and the token does not have, sorted.
func (g Grant) Lacks(tool string, level risk.Level) []string {
	var lacks []string
	for _, s := range needs(g.rules, tool, level) {
		if !slices.Contains(g.Scopes, s) {
			lacks = append(lacks, s)
		}
	}
	return lacks
}

// needs returns the scopes that the rules require for a tool, sorted and without
// duplicates.
func needs(rules []Rule, tool string, level risk.Level) []string {
	var needed []string
	for _, r := range rules {
		if r.matches(tool, level) {
			needed = append(needed, r.Scopes...)
		}
	}
	slices.Sort(needed)
	return slices.Compact(needed)
}
