package config

import (
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

// Gateway is what is served of other servers, and how they are kept.
type Gateway struct {
	// Mode is what the endpoint serves: builtin, composed or both.
	Mode string
	// Composition is the one that /mcp serves; empty is what was exposed by hand.
	Composition string
	// Endpoints override Mode by the name of the endpoint, that of a composition.
	Endpoints map[string]string
	// List is all or search: with search, endpoints of more than SearchAbove tools list
	// three that find, describe and call the others.
	List        string
	SearchAbove int
	// Watch is how often servers are asked again for what they list.
	Watch time.Duration
	// Rescan is how old the last scan of a server may be before it is scanned again; 0
	// for any age.
	Rescan time.Duration
	// KeyFile holds the keys that seal the sign-ins of people to other servers; empty is a
	// file in the state folder.
	KeyFile Path
	// Clients say what which clients see, by a name of the operator's; without any, all
	// see everything.
	Clients map[string]ClientSet
}

// ClientSet is what some clients see; see [mcpserver.ToolSet].
type ClientSet struct {
	Principals, Scopes []string
	Servers, Names     []string
}

// Upstream is one server of somebody else.
type Upstream struct {
	Command []string
	Dir     Path
	Env     map[string]string
	PassEnv []string
	Sandbox string
	Require bool
	// Singleton has it run at one server of a cluster.
	Singleton bool
	Files     struct{ Read, Write []Path }
	Limits    struct {
		Memory           Size
		CPU              time.Duration
		Files, Processes int
	}
	URL          string
	Kind         string
	Headers      map[string]string
	AllowPrivate bool
	Auth         Auth
	Era          string
	Timeout      time.Duration
	Concurrency  int
	Enabled      bool

	FirstSight, Cosmetic, PoisonedResults, Elicitation, Sampling, Roots string

	Expose             []string // tools, as TOOL or TOOL=ALIAS; * for all
	Prefix             string
	Approve            []string // tools; * for all
	Descriptions       map[string]string
	Resources, Prompts bool
	Cap                string
}

// Auth is how the tokens of a server are got.
type Auth struct {
	Grant          string
	ClientID       string
	ClientSecret   string
	ClientMetadata string
	Issuer         string
	Scopes         []string
	RedirectPort   int
}

// Composition is a named set of tools of several servers.
type Composition struct {
	Description        string
	Tools              []string // as SERVER/TOOL or SERVER/TOOL=ALIAS
	Approve            []string // as SERVER/TOOL; * for all
	Descriptions       map[string]string
	Resources, Prompts []string // servers
	Cap                string
	Grade              string
	Enabled            bool
}

// NewUpstream returns the defaults of an upstream.
func NewUpstream() Upstream { return Upstream{Enabled: true} }

// NewClients returns the defaults of a set of clients.
func NewClients() ClientSet { return ClientSet{} }

// NewComposition returns the defaults of a composition.
func NewComposition() Composition { return Composition{Enabled: true} }

var (
	modes     = []string{"builtin", "composed", "both"}
	lists     = []string{"all", "search"}
	kinds     = []string{"stdio", "http", "sse"}
	sandboxes = []string{"none", "files", "files+network"}
	eras      = []string{"auto", "legacy", "modern"}
	levels    = []string{"L0", "L1", "L2", "L3", "L4", "L5"}
	grades    = []string{"A", "B", "C", "D"}
	grants    = []string{signin.Code, signin.ClientCredentials}
	allowing  = []string{"deny", "allow"}
)

// Entry is one setting of each member of a section.
type Entry[T any] struct {
	Key
	of func(*T) any // pointer to the field
}

// Upstreams lists the settings of an upstream, in the order of the file.
var Upstreams = []Entry[Upstream]{
	{Key{Path: "command", Doc: "The program that is the server and its arguments, run without a shell. Arguments, `env`, `url` and `headers` may hold ${NAME}, looked up in world.secrets and the environment when the server is reached."},
		func(u *Upstream) any { return &u.Command }},
	{Key{Path: "dir", Doc: "Its working folder (default an empty one)."}, func(u *Upstream) any { return &u.Dir }},
	{Key{Path: "env", Doc: "Variables that it gets, beside PATH, HOME, LANG, LC_*, TMPDIR and TZ."}, func(u *Upstream) any { return &u.Env }},
	{Key{Path: "pass_env", Doc: "Names of variables of the gateway that it gets as well."}, func(u *Upstream) any { return &u.PassEnv }},
	{Key{Path: "sandbox", Choices: sandboxes, Doc: "What it is kept from (Linux): `files` lets it see the system's programs, its own folder and what `files` names; `files+network` also takes the network away."},
		func(u *Upstream) any { return &u.Sandbox }},
	{Key{Path: "require", Doc: "Do not start it where the sandbox or the limits cannot be kept."}, func(u *Upstream) any { return &u.Require }},
	{Key{Path: "singleton", Doc: "It may run only once: of the servers of a cluster one runs it and makes the calls of all, until another one takes it over."}, func(u *Upstream) any { return &u.Singleton }},
	{Key{Path: "files.read", Doc: "Files and folders that it may read in a sandbox."}, func(u *Upstream) any { return &u.Files.Read }},
	{Key{Path: "files.write", Doc: "Files and folders that it may read and write in a sandbox."}, func(u *Upstream) any { return &u.Files.Write }},
	{Key{Path: "limits.memory", Min: 4 << 20, Doc: "The most memory of all its processes (default 4GiB)."}, func(u *Upstream) any { return &u.Limits.Memory }},
	{Key{Path: "limits.cpu", Min: int64(time.Second), Doc: "The most processor time of one of its processes (default no limit)."}, func(u *Upstream) any { return &u.Limits.CPU }},
	{Key{Path: "limits.files", Min: 16, Doc: "The most open files of one of its processes (default 4096)."}, func(u *Upstream) any { return &u.Limits.Files }},
	{Key{Path: "limits.processes", Min: 1, Doc: "The most processes and threads (default 1024)."}, func(u *Upstream) any { return &u.Limits.Processes }},
	{Key{Path: "url", Doc: "The address of a server that runs elsewhere, instead of a command."}, func(u *Upstream) any { return &u.URL }},
	{Key{Path: "kind", Choices: kinds, Doc: "How it is reached: `sse` for the transport of 2024-11-05 (default `stdio` with a command, `http` with a URL)."},
		func(u *Upstream) any { return &u.Kind }},
	{Key{Path: "headers", Doc: "Headers of every request to it."}, func(u *Upstream) any { return &u.Headers }},
	{Key{Path: "allow_private", Doc: "It may be on this machine or in a private network."}, func(u *Upstream) any { return &u.AllowPrivate }},
	{Key{Path: "auth.grant", Choices: grants, Doc: "How OAuth tokens for it are got: with `code` a person signs in (`glovebox upstream login`), with `client_credentials` the gateway has an account of its own (default no tokens)."},
		func(u *Upstream) any { return &u.Auth.Grant }},
	{Key{Path: "auth.client_id", Doc: "The gateway's name at the issuer; without one the issuer reads auth.client_metadata, or registers the gateway. May be ${NAME}."},
		func(u *Upstream) any { return &u.Auth.ClientID }},
	{Key{Path: "auth.client_secret", Doc: "Its secret there, always as ${NAME}; it needs auth.issuer."}, func(u *Upstream) any { return &u.Auth.ClientSecret }},
	{Key{Path: "auth.client_metadata", Doc: "The https address of a document that describes the gateway to issuers that read one."},
		func(u *Upstream) any { return &u.Auth.ClientMetadata }},
	{Key{Path: "auth.issuer", Doc: "The one issuer to trust (default the one that the server names)."}, func(u *Upstream) any { return &u.Auth.Issuer }},
	{Key{Path: "auth.scopes", Doc: "What to ask for (default what the server says it needs)."}, func(u *Upstream) any { return &u.Auth.Scopes }},
	{Key{Path: "auth.redirect_port", Min: 0, Max: 65535, Doc: "The loopback port that the browser comes back to, for issuers that compare it (default any)."},
		func(u *Upstream) any { return &u.Auth.RedirectPort }},
	{Key{Path: "era", Choices: eras, Doc: "The protocol: `legacy` with sessions, `modern` without, `auto` finds out."}, func(u *Upstream) any { return &u.Era }},
	{Key{Path: "timeout", Min: int64(time.Millisecond), Max: int64(24 * time.Hour), Doc: "The longest that one request takes (default 2m)."}, func(u *Upstream) any { return &u.Timeout }},
	{Key{Path: "concurrency", Min: 1, Max: 128, Doc: "The most requests at one time (default 16)."}, func(u *Upstream) any { return &u.Concurrency }},
	{Key{Path: "enabled", Doc: "Whether it is reached and offered at all (default true)."}, func(u *Upstream) any { return &u.Enabled }},
	{Key{Path: "first_sight", Choices: []string{"review", "trust"}, Doc: "What becomes of tools that were never seen: `review` has them wait for `glovebox pin approve`, `trust` accepts them unless they read like an attack."},
		func(u *Upstream) any { return &u.FirstSight }},
	{Key{Path: "cosmetic", Choices: []string{"review", "pass"}, Doc: "What becomes of a change of spacing, case, punctuation or icons."}, func(u *Upstream) any { return &u.Cosmetic }},
	{Key{Path: "poisoned_results", Choices: []string{"mark", "withhold"}, Doc: "What becomes of a result with text that gives orders to the model."}, func(u *Upstream) any { return &u.PoisonedResults }},
	{Key{Path: "elicitation", Choices: allowing, Doc: "Whether it may ask the user of a client something."}, func(u *Upstream) any { return &u.Elicitation }},
	{Key{Path: "sampling", Choices: allowing, Doc: "Whether it may use the model of a client."}, func(u *Upstream) any { return &u.Sampling }},
	{Key{Path: "roots", Choices: allowing, Doc: "Whether it may ask a client which folders it works in."}, func(u *Upstream) any { return &u.Roots }},
	{Key{Path: "expose", Doc: "The tools that /mcp offers, as `TOOL` or `TOOL=ALIAS`; `*` is all of them, also later ones."}, func(u *Upstream) any { return &u.Expose }},
	{Key{Path: "prefix", Doc: "What is put before the names of its tools, with two underscores between."}, func(u *Upstream) any { return &u.Prefix }},
	{Key{Path: "approve", Doc: "The tools of which a person is asked before every call; `*` is all."}, func(u *Upstream) any { return &u.Approve }},
	{Key{Path: "descriptions", Doc: "Other descriptions than the server's, by tool."}, func(u *Upstream) any { return &u.Descriptions }},
	{Key{Path: "resources", Doc: "Offer its resources."}, func(u *Upstream) any { return &u.Resources }},
	{Key{Path: "prompts", Doc: "Offer its prompts."}, func(u *Upstream) any { return &u.Prompts }},
	{Key{Path: "cap", Choices: levels, Doc: "The highest level of a tool that is offered (default L5)."}, func(u *Upstream) any { return &u.Cap }},
}

// Compositions lists the settings of a composition, in the order of the file.
var Compositions = []Entry[Composition]{
	{Key{Path: "description", Doc: "What it is for."}, func(c *Composition) any { return &c.Description }},
	{Key{Path: "tools", Doc: "Its tools, as `SERVER/TOOL` or `SERVER/TOOL=ALIAS`."}, func(c *Composition) any { return &c.Tools }},
	{Key{Path: "approve", Doc: "The tools of which a person is asked before every call, as `SERVER/TOOL`; `*` is all."}, func(c *Composition) any { return &c.Approve }},
	{Key{Path: "descriptions", Doc: "Other descriptions than the servers', by `SERVER/TOOL`."}, func(c *Composition) any { return &c.Descriptions }},
	{Key{Path: "resources", Doc: "The servers whose resources it offers."}, func(c *Composition) any { return &c.Resources }},
	{Key{Path: "prompts", Doc: "The servers whose prompts it offers."}, func(c *Composition) any { return &c.Prompts }},
	{Key{Path: "cap", Choices: levels, Doc: "The highest level of a tool in it (default L3)."}, func(c *Composition) any { return &c.Cap }},
	{Key{Path: "grade", Choices: grades, Doc: "The worst grade that the last `glovebox scan` of a server may have; a server without a scan, or whose scan says block, offers nothing in it (default: no scan is needed)."}, func(c *Composition) any { return &c.Grade }},
	{Key{Path: "enabled", Doc: "Whether it is served, at /mcp/NAME (default true)."}, func(c *Composition) any { return &c.Enabled }},
}

// Clients lists the settings of a set of clients, in the order of the file.
var Clients = []Entry[ClientSet]{
	{Key{Path: "principals", Doc: "Who: the principals, as `glovebox audit tail` shows them, in patterns where `*` is any text; one of them has to fit (default anybody)."}, func(c *ClientSet) any { return &c.Principals }},
	{Key{Path: "scopes", Doc: "Who: the access token has all of these scopes (default no token is needed)."}, func(c *ClientSet) any { return &c.Scopes }},
	{Key{Path: "servers", Doc: "What: the servers whose tools, prompts and resources they see, in patterns; `library` is the tools that run here (default all)."}, func(c *ClientSet) any { return &c.Servers }},
	{Key{Path: "names", Doc: "What: the names of tools and prompts, and the URIs of resources, in patterns (default all)."}, func(c *ClientSet) any { return &c.Names }},
}
