package config

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/oauth"
	"github.com/glovebox-run/glovebox/mcpserver/telemetry"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/live"
	"github.com/glovebox-run/glovebox/runtime/admission"
)

// Config holds every setting of an operator. The zero value is not usable; see
// [Default].
type Config struct {
	Listen   string
	Hosts    []string
	SSE      bool
	TLS      TLS
	Token    Token
	OAuth    OAuth
	Limits   Limits
	Policy   risk.LevelPolicy
	Contract Path
	Session  string // a word of live.Modes
	// Sessions override Session by the name of an endpoint, that of a composition.
	Sessions  map[string]string
	Labels    Path
	Approvals approve.Settings
	Posture   Posture
	Specs     Specs
	World     World
	State     State
	Audit     Audit
	Sanitiser Sanitiser
	Telemetry telemetry.Config
	Gateway   Gateway
	Console   Console

	Notices      map[string]Notice
	Upstreams    map[string]Upstream
	Compositions map[string]Composition
}

// Path names a file or folder. In the file it is relative to the file's own folder,
// elsewhere to the working directory; ~/ is the home folder.
type Path string

// Size is a number of bytes.
type Size = admission.Size

// Token says where the bearer token is, and never holds the token.
type Token struct {
	File Path
	Env  string
	None bool
	Weak bool // a guessable one is accepted where others reach the server
}

// TLS says what certificates the endpoint shows; see
// [github.com/glovebox-run/glovebox/mcpserver/certificate.Config].
type TLS struct {
	Certificate Path
	Key         Path
	Names       []string
	Directory   string
	Email       string
	CA          Path
	// Plain means that there is no TLS although others reach the server.
	Plain bool
}

// On reports whether clients are served over TLS.
func (t TLS) On() bool { return t.Certificate != "" || len(t.Names) > 0 }

// OAuth configures the authorization server whose access tokens are accepted; see
// [github.com/glovebox-run/glovebox/mcpserver/oauth.Config].
type OAuth struct {
	Issuer     string
	Resource   string
	Audiences  []string
	Algorithms []string
	Scopes     []string // rules, in the syntax of oauth.ParseRule
	WithToken  bool
	Introspect bool
	ClientID   string
	SecretFile Path
	CA         Path
	Cache      time.Duration
	Skew       time.Duration
	Timeout    time.Duration
}

// Guarding returns the guard settings for a server at an address, a URL. The caller loads
// the certificates of CA.
func (o OAuth) Guarding(address string) (oauth.Config, error) {
	c := oauth.Config{
		Issuer: o.Issuer, Resource: cmp.Or(o.Resource, address), Audiences: o.Audiences, Algorithms: o.Algorithms,
		Introspect: o.Introspect, ClientID: o.ClientID, SecretFile: string(o.SecretFile), Cache: o.Cache, Skew: o.Skew, Timeout: o.Timeout,
	}
	if o.Cache == 0 {
		c.Cache = -1 // asks every time
	}
	for _, text := range o.Scopes {
		rule, err := oauth.ParseRule(text)
		if err != nil {
			return c, err
		}
		c.Scopes = append(c.Scopes, rule)
	}
	return c, c.Check()
}

// Limits bound calls and connections. The first ten are those of
// [github.com/glovebox-run/glovebox/jsengine.Limits].
type Limits struct {
	Timeout      time.Duration
	Statements   uint64
	Fuel         uint64
	Memory       Size
	Output       Size
	ConsoleLines int
	ConsoleBytes Size
	HostCalls    int
	HostBytes    Size
	InFlight     int
	Shared       admission.Limits
	SessionIdle  time.Duration
	Linger       time.Duration
	Drain        time.Duration
}

// Posture is what each tool's own request is resolved against.
type Posture struct {
	Baseline catalog.Baseline
	Ceiling  catalog.Ceiling
}

// Specs says where the tools come from.
type Specs struct {
	Folders []Path
	Bundle  Path
	Preset  string
	// PassKeys are public keys of passnote.
	PassKeys []string
	Test     bool
}

// World is what tools are granted.
type World struct {
	Workspace Path
	ReadRoots []Path
	Secrets   Path
	AllowOpen bool
}

// State is where the server keeps its persistent state.
type State struct {
	NATS NATS
}

// NATS is a cluster that replaces the state folder.
type NATS struct {
	URL         string
	Credentials Path
	NKey        Path
	CA          Path
	Certificate Path
	Key         Path
	Replicas    int
	AuditAge    time.Duration
	AuditSize   Size
	// AnchorStore and AnchorStream keep the record's checkpoint in a bucket and in a
	// stream.
	AnchorStore, AnchorStream bool
}

// Audit is how calls are recorded.
type Audit struct {
	File        Path
	Anchor      Path
	Name        string
	Sync        string
	SegmentSize Size
	MaxAge      time.Duration
	MaxSize     Size
	Archive     Path
	Optional    bool
}

// Console is the operator's console in a browser.
type Console struct {
	Mode   string // Auto, On or Off
	Listen string
	URL    string
	SignIn SignIn
}

// SignIn is the issuer at which people sign in to the console, if there is one; see [github.com/glovebox-run/glovebox/mcpserver/console.SignIn].
type SignIn struct {
	Issuer     string
	ClientID   string
	SecretFile Path
	CA         Path
	Scopes     []string
	Audience   string
	Claim      string
	Look       []string
	Answer     []string
	Manage     []string
	Called     string
	Lasts      time.Duration
}

// Signing returns the settings for people who sign in to the console. What OAuth says
// about signatures, clocks and times holds here, too. The caller loads the certificates.
func (c Config) Signing() (oauth.PartyConfig, error) {
	s := c.Console.SignIn
	p := oauth.PartyConfig{
		Issuer: s.Issuer, ClientID: s.ClientID, SecretFile: string(s.SecretFile), Scopes: s.Scopes, Audience: s.Audience,
		Algorithms: c.OAuth.Algorithms, Skew: c.OAuth.Skew, Timeout: c.OAuth.Timeout,
	}
	return p, p.Check()
}

// The values of Console.Mode.
const (
	Auto = "auto" // where the server itself is only reached from this machine
	On   = "on"
	Off  = "off"
)

// Sanitiser names the operator's own rules.
type Sanitiser struct {
	Policy   Path
	Gitleaks Path
}

// Default returns the values of settings that nobody has made.
func Default() Config {
	return Config{
		Listen: "127.0.0.1:8282",
		Token:  Token{Env: "GLOVEBOX_TOKEN"},
		OAuth:  OAuth{Cache: 15 * time.Second, Skew: 30 * time.Second, Timeout: 5 * time.Second},
		Limits: Limits{
			// The engine's defaults; a test of package service checks that they are
			// equal.
			Timeout: 30 * time.Second, Statements: 500_000, Fuel: 10_000_000_000, Memory: 64 << 20, Output: 16 << 20,
			ConsoleLines: 1000, ConsoleBytes: 1 << 20, HostCalls: 100_000, HostBytes: 256 << 20, InFlight: 256,
			Shared:      admission.Limits{Rate: 2000, Queue: 128, QueueInAll: 1024, Sessions: 64, SessionsInAll: 1024, Connections: 1024},
			SessionIdle: 30 * time.Minute, Drain: 10 * time.Second,
		},
		Policy:    risk.DefaultLevelPolicy(),
		Session:   live.Off.String(),
		Approvals: approve.Settings{Answer: 2 * time.Minute, Wait: 2 * time.Minute, Inbox: 15 * time.Minute, Grant: 15 * time.Minute, People: 1},
		Posture:   Posture{Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling()},
		State:     State{NATS: NATS{Replicas: 1, AuditAge: 30 * 24 * time.Hour, AuditSize: 1 << 30}},
		Audit:     Audit{Sync: "group", SegmentSize: 64 << 20},
		Telemetry: telemetry.Config{LogFormat: "text", LogLevel: slog.LevelWarn},
		Console:   Console{Mode: Auto, Listen: "127.0.0.1:8283", SignIn: SignIn{ClientID: "glovebox", Scopes: []string{"openid", "profile"}, Claim: "groups", Called: "preferred_username", Lasts: 12 * time.Hour}},
		Gateway:   Gateway{Mode: "both", List: "all", SearchAbove: 40, Watch: 15 * time.Minute, Rescan: 24 * time.Hour},
	}
}
