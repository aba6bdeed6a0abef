package config

import (
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/risk/live"
)

// Key is one setting.
type Key struct {
	// Path is its name in the file, from the outermost group, such as
	// limits.timeout.
	Path string
	// Flag sets the key, without hyphens; empty if there is none.
	Flag string
	// Live means that a change of the file takes effect while the server runs.
	Live bool
	// Doc describes the key. The first sentence is the help text of the flag.
	Doc string
	// Choices are all possible values; nil if they are not a closed list.
	Choices []string
	// Min is the smallest allowed number, size or duration in nanoseconds.
	Min int64
	// Max is the largest, in the same unit; zero means the largest of its type.
	Max int64

	field func(*Config) any // pointer to the field
}

// Env is the environment variable for the key.
func (k Key) Env() string { return "GLOVEBOX_" + strings.ToUpper(strings.ReplaceAll(k.Path, ".", "_")) }

// Values of keys with choices.
var (
	logLevels  = []string{"error", "warn", "info", "debug"}
	logFormats = []string{"text", "json"}
	syncs      = []string{"group", "always"}
)

// Groups describe what the keys of a group have in common, in the order of the
// file.
var Groups = []struct{ Name, Doc string }{
	{"", "Where the server is reached."},
	{"tls", "The certificate of the server: of files, or of an authority that speaks ACME. Without one it speaks plain HTTP, which on an address that other machines reach has to be said."},
	{"token", "The bearer token of clients. The token itself does not belong into the file."},
	{"oauth", "An OAuth authorization server whose access tokens are admitted in the place of the bearer token. Without an issuer there is none."},
	{"limits", "The most that a call may take, and a connection."},
	{"policy", "Which calls run, which ask a person first, and which do not run. `glovebox run` is the operator's own call and is not asked about."},
	{"approvals", "How people are asked."},
	{"posture.baseline", "What every tool has before its document asks for anything."},
	{"posture.ceiling", "The most that any tool may have, whatever its document asks for."},
	{"specs", "Where the tools are. All places are watched. Without any, the preset starter is served."},
	{"world", "What is lent to the tools of all clients."},
	{"state.nats", "Where approvals are kept, if not in the state folder: a NATS cluster that several servers share. Audit records are published there as well."},
	{"audit", "The record of every call."},
	{"sanitiser", "Rules beside the built-in ones for what is taken out of results."},
	{"gateway", "What is served of other people's servers. The servers themselves are below `upstreams`, sets of their tools below `compositions`; see [the gateway](gateway.md)."},
	{"console", "The operator's console in a browser; see [the console](console.md). People are let in by `glovebox console`, or at an issuer."},
	{"console.sign_in", "An OAuth authorization server (OpenID Connect) at which people sign in to the console; see [signing in at an issuer](console.md#signing-in-at-an-issuer). Nobody gets in whose claim has none of the values below."},
	{"telemetry", "What the server says about itself: log lines on standard error, traces, and the numbers of `/metrics`."},
}

// smallestMemory leaves room for the sandbox, which takes 6.3 MiB before it does
// anything, and for little else: with less every call would be refused.
const smallestMemory = 7 << 20

// Keys lists all settings, in the order of the file.
var Keys = []Key{
	{Path: "listen", Flag: "listen", field: func(c *Config) any { return &c.Listen },
		Doc: "The `ADDRESS` to listen on. On one that other machines reach, a token and TLS are needed."},
	{Path: "hosts", Flag: "host", Live: true, field: func(c *Config) any { return &c.Hosts },
		Doc: "A `NAME` under which clients reach the server, besides localhost and addresses."},

	{Path: "sse", Flag: "sse", field: func(c *Config) any { return &c.SSE },
		Doc: "Also serve the transport of 2024-11-05, at /sse."},

	{Path: "tls.certificate", Flag: "tls-cert", field: func(c *Config) any { return &c.TLS.Certificate },
		Doc: "The `FILE` of the certificate to show clients, with those that lead to its root (PEM). It is watched: what is renewed is shown to the next connection."},
	{Path: "tls.key", Flag: "tls-key", field: func(c *Config) any { return &c.TLS.Key },
		Doc: "The `FILE` of its key (PEM; default the file of the certificate)."},
	{Path: "tls.names", Flag: "tls-name", field: func(c *Config) any { return &c.TLS.Names },
		Doc: "A `NAME` to get a certificate for from Let's Encrypt, or from tls.directory. The authority has to reach this server at port 443 of the name; who sets this accepts its terms. The certificate is in the state folder and renewed 30 days before its end."},
	{Path: "tls.directory", field: func(c *Config) any { return &c.TLS.Directory },
		Doc: "The URL of the directory of another authority that speaks ACME (RFC 8555)."},
	{Path: "tls.email", field: func(c *Config) any { return &c.TLS.Email },
		Doc: "Where the authority writes about certificates."},
	{Path: "tls.ca", field: func(c *Config) any { return &c.TLS.CA },
		Doc: "A `FILE` of certificates that the authority's own must be signed by (default the system's)."},
	{Path: "tls.plain", Flag: "plain-http", field: func(c *Config) any { return &c.TLS.Plain },
		Doc: "Speak plain HTTP on an address that other machines reach, such as behind a proxy that ends TLS."},

	{Path: "token.file", Flag: "token-file", Live: true, field: func(c *Config) any { return &c.Token.File },
		Doc: "The `FILE` with the bearer token, mode 0600 (default one in the state folder). Without it the environment variable of token.env counts, and without that the file token in the state folder, which the first start makes. The file is watched."},
	{Path: "token.env", field: func(c *Config) any { return &c.Token.Env },
		Doc: "The environment variable that holds the bearer token."},
	{Path: "token.weak", Flag: "weak-token", field: func(c *Config) any { return &c.Token.Weak },
		Doc: "Accept a token that can be guessed on an address that other machines reach."},
	{Path: "token.none", Flag: "no-token", field: func(c *Config) any { return &c.Token.None },
		Doc: "Let clients in without a token; only on a loopback address."},

	{Path: "oauth.issuer", Flag: "oauth-issuer", field: func(c *Config) any { return &c.OAuth.Issuer },
		Doc: "Admit access tokens of the authorization server at `URL`, to the letter as its tokens name it. https, or http on a loopback address."},
	{Path: "oauth.resource", Flag: "oauth-resource", field: func(c *Config) any { return &c.OAuth.Resource },
		Doc: "The `URL` under which clients reach this server, which access tokens must be made for (default the one it listens on)."},
	{Path: "oauth.audiences", field: func(c *Config) any { return &c.OAuth.Audiences },
		Doc: "Further audiences that mean this server, for issuers that know no resources."},
	{Path: "oauth.scopes", Flag: "oauth-scope", field: func(c *Config) any { return &c.OAuth.Scopes },
		Doc: "A `RULE` such as mail_*=mail:send: calls of these tools need these scopes. L4=danger is for tools at that level and above. A call needs what all rules that match it want; without rules a valid token may call everything."},
	{Path: "oauth.with_token", Flag: "oauth-with-token", field: func(c *Config) any { return &c.OAuth.WithToken },
		Doc: "Admit the bearer token as well."},
	{Path: "oauth.algorithms", field: func(c *Config) any { return &c.OAuth.Algorithms },
		Doc: "The signatures that are accepted; empty is all of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512 and EdDSA."},
	{Path: "oauth.introspect", field: func(c *Config) any { return &c.OAuth.Introspect },
		Doc: "Ask the issuer about every token (RFC 7662) instead of checking its signature, so that a token can be revoked."},
	{Path: "oauth.client_id", field: func(c *Config) any { return &c.OAuth.ClientID },
		Doc: "The name of this server with the issuer, for introspection."},
	{Path: "oauth.secret_file", field: func(c *Config) any { return &c.OAuth.SecretFile },
		Doc: "The `FILE` with the secret that goes with it, mode 0600."},
	{Path: "oauth.ca", field: func(c *Config) any { return &c.OAuth.CA },
		Doc: "A `FILE` of certificates that the issuer's must be signed by (default the system's)."},
	{Path: "oauth.cache", Max: int64(5 * time.Minute), field: func(c *Config) any { return &c.OAuth.Cache },
		Doc: "How long the answer of an introspection holds, at most 5m; 0s asks every time."},
	{Path: "oauth.skew", Min: int64(time.Millisecond), Max: int64(5 * time.Minute), field: func(c *Config) any { return &c.OAuth.Skew },
		Doc: "How far the clocks of issuer and server may be apart, at most 5m."},
	{Path: "oauth.timeout", Min: int64(time.Millisecond), field: func(c *Config) any { return &c.OAuth.Timeout },
		Doc: "How long one request to the issuer may take."},

	{Path: "limits.timeout", Flag: "timeout", Live: true, Min: int64(time.Millisecond), field: func(c *Config) any { return &c.Limits.Timeout },
		Doc: "The longest a call may take."},
	{Path: "limits.statements", Flag: "statements", Live: true, Min: 1, field: func(c *Config) any { return &c.Limits.Statements },
		Doc: "The most JavaScript statements of a call."},
	{Path: "limits.fuel", Flag: "fuel", Live: true, Min: 1, field: func(c *Config) any { return &c.Limits.Fuel },
		Doc: "The most units of fuel of a call, one for each Wasm instruction."},
	{Path: "limits.memory", Flag: "memory", Live: true, Min: smallestMemory, field: func(c *Config) any { return &c.Limits.Memory },
		Doc: "The most memory of a call, such as 64MiB. An empty sandbox has 6.3 MiB, so 7MiB is the least. Where it is not set, `serve` takes less on a machine that has too little for two calls."},
	{Path: "limits.output", Live: true, Min: 1, field: func(c *Config) any { return &c.Limits.Output },
		Doc: "The largest result of a call, as JSON."},
	{Path: "limits.console_lines", Live: true, Min: 1, field: func(c *Config) any { return &c.Limits.ConsoleLines },
		Doc: "The most lines that a call may log; later ones are counted and dropped."},
	{Path: "limits.console_bytes", Live: true, Min: 1, field: func(c *Config) any { return &c.Limits.ConsoleBytes },
		Doc: "The size of all lines that a call may log."},
	{Path: "limits.host_calls", Live: true, Min: 1, field: func(c *Config) any { return &c.Limits.HostCalls },
		Doc: "The most host calls of a call."},
	{Path: "limits.host_bytes", Live: true, Min: 1, field: func(c *Config) any { return &c.Limits.HostBytes },
		Doc: "What may cross the border in host calls, both ways together."},
	{Path: "limits.in_flight", Live: true, Min: 1, field: func(c *Config) any { return &c.Limits.InFlight },
		Doc: "The most asynchronous host calls of a call at one time."},
	{Path: "limits.parallel", Flag: "parallel", field: func(c *Config) any { return &c.Limits.Shared.Parallel },
		Doc: "The most calls at one time; 0 is what the memory allows, and at most four for each processor. Further ones wait, first come first served for each client and in turn among clients."},
	{Path: "limits.per_principal", field: func(c *Config) any { return &c.Limits.Shared.PerPrincipal },
		Doc: "How many of them are one client's; 0 is three quarters."},
	{Path: "limits.queue", Min: 1, field: func(c *Config) any { return &c.Limits.Shared.Queue },
		Doc: "How many calls of one client wait for their turn."},
	{Path: "limits.queue_in_all", Min: 1, field: func(c *Config) any { return &c.Limits.Shared.QueueInAll },
		Doc: "How many calls wait altogether."},
	{Path: "limits.messages", field: func(c *Config) any { return &c.Limits.Shared.Bytes },
		Doc: "The memory for messages from before they are read until they are answered; 0 is an eighth of what there is, at least 16MiB and at most 256MiB. A message counts as its size, 24 times what is not arguments, 512 bytes for each value in that, and 64 KiB."},
	{Path: "limits.messages_per_principal", field: func(c *Config) any { return &c.Limits.Shared.BytesEach },
		Doc: "How much of it is one client's; 0 is half. Nobody gets more than is left for the others."},
	{Path: "limits.rate", field: func(c *Config) any { return &c.Limits.Shared.Rate },
		Doc: "How many messages a second one client may send in the long run, in a cluster to all servers together; less than 0 is no limit."},
	{Path: "limits.burst", field: func(c *Config) any { return &c.Limits.Shared.Burst },
		Doc: "How many messages one client may send at once, in a cluster to all servers together; 0 is five seconds of the rate."},
	{Path: "limits.sessions", Min: 1, field: func(c *Config) any { return &c.Limits.Shared.Sessions },
		Doc: "How many sessions and streams of one client are open."},
	{Path: "limits.sessions_in_all", Min: 1, field: func(c *Config) any { return &c.Limits.Shared.SessionsInAll },
		Doc: "How many are open altogether."},
	{Path: "limits.connections", Min: 1, field: func(c *Config) any { return &c.Limits.Shared.Connections },
		Doc: "How many TCP connections are open, at most half of the files that the process may open; further ones wait. One client has at most three quarters of them."},
	{Path: "limits.session_idle", Min: int64(time.Millisecond), field: func(c *Config) any { return &c.Limits.SessionIdle },
		Doc: "When a session without requests ends."},
	{Path: "limits.linger", Flag: "linger", field: func(c *Config) any { return &c.Limits.Linger },
		Doc: "How long a server that is told to stop goes on serving while /readyz says no, for a load balancer to find out. Other servers of its cluster have sessions that are here begun anew after half of it."},
	{Path: "limits.drain", Flag: "drain", field: func(c *Config) any { return &c.Limits.Drain },
		Doc: "How long calls may go on when the server is told to stop."},

	{Path: "policy.ceiling", Flag: "ceiling", Live: true, field: func(c *Config) any { return &c.Policy.Ceiling },
		Doc: "The highest `LEVEL` that is run at all."},
	{Path: "policy.unasked", Flag: "unasked", Live: true, field: func(c *Config) any { return &c.Policy.Unasked },
		Doc: "The highest `LEVEL` that is run unasked if its author agrees."},
	{Path: "policy.trusted", Flag: "trusted", Live: true, field: func(c *Config) any { return &c.Policy.Trusted },
		Doc: "The highest `LEVEL` that is run unasked although its author wants a person asked."},
	{Path: "policy.tools", Live: true, Choices: treatments(), field: func(c *Config) any { return &c.Policy.Tools },
		Doc: "What holds for single tools: `refuse` never runs one, `ask` always asks a person first, `trust` never asks, whatever its level and its author say. What is above the ceiling stays refused. A tool is written as name, source/name, or either with @ and the hash of one version; the specs in folders, bundles and presets are of the source `library`. A name alone trusts a tool of the library only, and refuses or asks for every tool that has it. Of several rows for a tool the strictest counts."},

	{Path: "policy.contract", Flag: "contract", field: func(c *Config) any { return &c.Contract },
		Doc: "A tool risk contract `FILE`, which two more tools show and decide by."},
	{Path: "policy.session", Flag: "session", Live: true, Choices: live.Modes(), field: func(c *Config) any { return &c.Session },
		Doc: "What decisions by what a client has met do: `off`, `observe` records them, `ask` asks a person, `enforce` denies as well."},
	{Path: "policy.sessions", Live: true, Choices: live.Modes(), field: func(c *Config) any { return &c.Sessions },
		Doc: "What they do at /mcp/NAME, by the name of the composition; without a line for it, as policy.session says. Once one line is not `off`, what clients read elsewhere counts as well: `off` then is `observe`."},
	{Path: "policy.labels", Flag: "labels", Live: true, field: func(c *Config) any { return &c.Labels },
		Doc: "A `FILE` that says what tools return and where their arguments go, for these decisions. `glovebox labels init` writes one."},

	{Path: "approvals.answer", Min: int64(time.Millisecond), field: func(c *Config) any { return &c.Approvals.Answer },
		Doc: "How long a person has whom the client asks."},
	{Path: "approvals.wait", Flag: "approval-wait", Min: int64(time.Millisecond), field: func(c *Config) any { return &c.Approvals.Wait },
		Doc: "How long a call waits for an operator when its client cannot ask anybody."},
	{Path: "approvals.inbox", Min: int64(time.Millisecond), field: func(c *Config) any { return &c.Approvals.Inbox },
		Doc: "How long an operator can still answer such a question."},
	{Path: "approvals.grant", Flag: "approval-grant", Min: int64(time.Millisecond), field: func(c *Config) any { return &c.Approvals.Grant },
		Doc: "How long an operator's yes can be used."},
	{Path: "approvals.people", Min: 1, Max: 5, field: func(c *Config) any { return &c.Approvals.People },
		Doc: "How many people have to say yes to a call of a tool of level L5, at most 5. With more than one the client cannot answer, since nobody knows who is in front of it."},

	{Path: "posture.baseline.network", Live: true, Choices: networkModes(), field: func(c *Config) any { return &c.Posture.Baseline.Network },
		Doc: "The network mode of a tool that names none."},
	{Path: "posture.baseline.hosts", Live: true, field: func(c *Config) any { return &c.Posture.Baseline.Hosts },
		Doc: "Hosts that every tool in mode allowlist may reach beside its own."},
	{Path: "posture.baseline.file_read", Live: true, field: func(c *Config) any { return &c.Posture.Baseline.FileRead },
		Doc: "Tools may read files unless they say no."},
	{Path: "posture.baseline.file_write", Live: true, field: func(c *Config) any { return &c.Posture.Baseline.FileWrite },
		Doc: "Tools may write files unless they say no."},
	{Path: "posture.baseline.destructive", Live: true, field: func(c *Config) any { return &c.Posture.Baseline.Destructive },
		Doc: "Tools that may write files may also move and delete them unless they say no."},
	{Path: "posture.baseline.fs_base", Live: true, field: func(c *Config) any { return &c.Posture.Baseline.FSBase },
		Doc: "The folder within the workspace that tools are confined to unless they name one; empty is all of it."},
	{Path: "posture.baseline.allow_classes", Live: true, field: func(c *Config) any { return &c.Posture.Baseline.AllowClasses },
		Doc: "The Java class patterns that documents are written against as allowed. No class is reachable; the lists count towards the level."},
	{Path: "posture.baseline.deny_classes", Live: true, field: func(c *Config) any { return &c.Posture.Baseline.DenyClasses },
		Doc: "The Java class patterns that documents are written against as denied."},

	{Path: "posture.ceiling.network", Live: true, Choices: networkModes(), field: func(c *Config) any { return &c.Posture.Ceiling.Network },
		Doc: "The widest network mode."},
	{Path: "posture.ceiling.hosts", Live: true, field: func(c *Config) any { return &c.Posture.Ceiling.Hosts },
		Doc: "The hosts that are left when the widest mode is allowlist; `*` leaves what the tool asks for."},
	{Path: "posture.ceiling.file_read", Live: true, field: func(c *Config) any { return &c.Posture.Ceiling.FileRead },
		Doc: "Tools may read files if they ask for it."},
	{Path: "posture.ceiling.file_write", Live: true, field: func(c *Config) any { return &c.Posture.Ceiling.FileWrite },
		Doc: "Tools may write files if they ask for it."},
	{Path: "posture.ceiling.destructive", Live: true, field: func(c *Config) any { return &c.Posture.Ceiling.Destructive },
		Doc: "Tools may move and delete files if they ask for it."},

	{Path: "specs.folders", Flag: "folder", Live: true, field: func(c *Config) any { return &c.Specs.Folders },
		Doc: "A `DIR` of specs, watched."},
	{Path: "specs.bundle", Flag: "bundle", Live: true, field: func(c *Config) any { return &c.Specs.Bundle },
		Doc: "A bundle `FILE` of specs, watched (default the one that glovebox library keeps in the state folder)."},
	{Path: "specs.preset", Flag: "preset", Live: true, field: func(c *Config) any { return &c.Specs.Preset },
		Doc: "The bundled tools of a preset; see glovebox preset list (default starter if no specs are named)."},
	{Path: "specs.pass_keys", Flag: "pass-key", Live: true, field: func(c *Config) any { return &c.Specs.PassKeys },
		Doc: "A public `KEY` whose signature counts on passes that come with specs, in the file passes.note beside them. `glovebox test --sign` signs them and prints its key. The key that signs on this machine counts anyway."},
	{Path: "specs.test", Flag: "test", field: func(c *Config) any { return &c.Specs.Test },
		Doc: "Give specs that have no Local Pass theirs at the start, in the sandbox. They are served as they pass, after at most 5 minutes; drafts stay drafts."},

	{Path: "world.workspace", Flag: "workspace", field: func(c *Config) any { return &c.World.Workspace },
		Doc: "The `DIR` that tools with file access work in. With it all clients share that folder; without it `serve` gives every client one of its own in the state folder. `run` and `test` look only at the flag and else make a temporary one."},
	{Path: "world.read_roots", Flag: "read-root", field: func(c *Config) any { return &c.World.ReadRoots },
		Doc: "Another `DIR` that tools with fileRead may read."},
	{Path: "world.secrets", Flag: "secrets", Live: true, field: func(c *Config) any { return &c.World.Secrets },
		Doc: "A `FILE` of NAME=value lines, mode 0600, looked up before the environment. The file is watched."},
	{Path: "world.allow_open", Flag: "allow-open", Live: true, field: func(c *Config) any { return &c.World.AllowOpen },
		Doc: "Run tools that ask for the network mode open, which reaches private networks."},

	{Path: "state.nats.url", Flag: "nats", field: func(c *Config) any { return &c.State.NATS.URL },
		Doc: "Keep approvals in the NATS cluster at `URL`, and publish audit records there (default in the state folder). Several addresses have commas between them. No password belongs into it."},
	{Path: "state.nats.credentials", Flag: "nats-credentials", field: func(c *Config) any { return &c.State.NATS.Credentials },
		Doc: "The `FILE` of credentials for the cluster."},
	{Path: "state.nats.nkey", Flag: "nats-nkey", field: func(c *Config) any { return &c.State.NATS.NKey },
		Doc: "The `FILE` with the seed of an nkey, for a cluster that knows its public half instead of credentials."},
	{Path: "state.nats.ca", Flag: "nats-ca", field: func(c *Config) any { return &c.State.NATS.CA },
		Doc: "A `FILE` of certificates that the cluster's must be signed by (default the system's)."},
	{Path: "state.nats.certificate", Flag: "nats-cert", field: func(c *Config) any { return &c.State.NATS.Certificate },
		Doc: "The `FILE` of the certificate to show the cluster."},
	{Path: "state.nats.key", Flag: "nats-key", field: func(c *Config) any { return &c.State.NATS.Key },
		Doc: "The `FILE` of its key."},
	{Path: "state.nats.replicas", Flag: "nats-replicas", Min: 1, Max: 5, field: func(c *Config) any { return &c.State.NATS.Replicas },
		Doc: "On how many members of the cluster everything is kept, at most 5."},
	{Path: "state.nats.audit_age", field: func(c *Config) any { return &c.State.NATS.AuditAge },
		Doc: "How long the stream of audit records keeps them, when the server makes it; 0s is for ever. A stream that is there keeps its own bounds."},
	{Path: "state.nats.audit_size", Min: 1 << 20, field: func(c *Config) any { return &c.State.NATS.AuditSize },
		Doc: "The size of that stream. When it is full, no record is pushed out: further ones are not taken, which is logged and counted. The file has them."},
	{Path: "state.nats.anchor_store", field: func(c *Config) any { return &c.State.NATS.AnchorStore },
		Doc: "Keep the checkpoint of the record (see audit.anchor) in a bucket of the cluster too. A chain that lost what it knows is not opened."},
	{Path: "state.nats.anchor_stream", field: func(c *Config) any { return &c.State.NATS.AnchorStream },
		Doc: "Keep it in a stream of the cluster, which has the last 10,000 of each record and lets nobody delete one."},

	{Path: "audit.file", Flag: "audit", field: func(c *Config) any { return &c.Audit.File },
		Doc: "The audit `FILE` to append to (default the one in the state folder)."},
	{Path: "audit.anchor", field: func(c *Config) any { return &c.Audit.Anchor },
		Doc: "The file that a signed checkpoint of the record is written to within a second of each call (default one in the state folder). Keep it where whoever can write the record cannot: a chain that lost what its anchor knows is not opened."},
	{Path: "audit.name", field: func(c *Config) any { return &c.Audit.Name },
		Doc: "The name of this record in the cluster, for state.nats.anchor_store and anchor_stream (default the name of the machine and of the file). Another name begins another record."},
	{Path: "audit.sync", Choices: syncs, field: func(c *Config) any { return &c.Audit.Sync },
		Doc: "When a record is on the disk: `group` within 50 ms, `always` before the call is answered."},
	{Path: "audit.segment_size", Min: 1 << 10, field: func(c *Config) any { return &c.Audit.SegmentSize },
		Doc: "The size at which a new file is started."},
	{Path: "audit.max_age", field: func(c *Config) any { return &c.Audit.MaxAge },
		Doc: "How long a full file of the record stays beside it after its last call; 0s is for ever. It then goes to audit.archive. Looked at once an hour."},
	{Path: "audit.max_size", field: func(c *Config) any { return &c.Audit.MaxSize },
		Doc: "The size of all files of the record together; 0 is no bound. When they are larger, the oldest full ones go to audit.archive. The file that grows stays."},
	{Path: "audit.archive", field: func(c *Config) any { return &c.Audit.Archive },
		Doc: "The folder that full files are moved to. Without one they are deleted. `glovebox audit verify` knows by a signed note what left either way, and checks an archive too."},
	{Path: "audit.optional", field: func(c *Config) any { return &c.Audit.Optional },
		Doc: "Run calls although their record cannot be written."},

	{Path: "sanitiser.policy", Live: true, field: func(c *Config) any { return &c.Sanitiser.Policy },
		Doc: "A YAML file with the policy and further rules, as for `glovebox sanitise --policy`. The file is watched."},
	{Path: "sanitiser.gitleaks", Live: true, field: func(c *Config) any { return &c.Sanitiser.Gitleaks },
		Doc: "A file of gitleaks rules (TOML). The file is watched."},

	{Path: "gateway.mode", Flag: "exposure", Live: true, Choices: modes, field: func(c *Config) any { return &c.Gateway.Mode },
		Doc: "What /mcp serves: `builtin` the tools that run here, `composed` those of other servers, or `both`."},
	{Path: "gateway.composition", Live: true, field: func(c *Config) any { return &c.Gateway.Composition },
		Doc: "The composition that /mcp serves (default the tools that were exposed one by one)."},
	{Path: "gateway.endpoints", Live: true, Choices: modes, field: func(c *Config) any { return &c.Gateway.Endpoints },
		Doc: "What /mcp/NAME serves, by the name of the composition; without a line for it, as gateway.mode says. What is `builtin` only is not served there."},
	{Path: "gateway.list", Live: true, Choices: lists, field: func(c *Config) any { return &c.Gateway.List },
		Doc: "What an endpoint lists: `all` its tools, or with `search` three that find, describe and call the others, where there are more than gateway.search_above."},
	{Path: "gateway.search_above", Live: true, Min: 1, field: func(c *Config) any { return &c.Gateway.SearchAbove },
		Doc: "How many tools an endpoint lists at most with gateway.list `search`."},
	{Path: "gateway.watch", Min: int64(time.Second), field: func(c *Config) any { return &c.Gateway.Watch },
		Doc: "How often servers are asked again for what they list, beside their own notifications."},
	{Path: "gateway.rescan", field: func(c *Config) any { return &c.Gateway.Rescan },
		Doc: "How old the last scan of a server may be before it is scanned again; 0s for any age. Servers that nobody scanned are left alone. A hard fail that the scan before did not have withholds the server's tools."},
	{Path: "gateway.key_file", field: func(c *Config) any { return &c.Gateway.KeyFile },
		Doc: "The file of the keys that seal the sign-ins to other servers (default signin.key in the state folder). It is made when it is needed; all gateways of a cluster need the same one."},

	{Path: "console.mode", Flag: "console", Choices: []string{Auto, On, Off}, field: func(c *Config) any { return &c.Console.Mode },
		Doc: "Whether there is a console: `auto` when somebody asks for it with `glovebox console`, if the server is only reached from this machine; `on` from the start; `off` never."},
	{Path: "console.listen", Flag: "console-listen", field: func(c *Config) any { return &c.Console.Listen },
		Doc: "The `ADDRESS` that the console listens on: a loopback address or, with the certificate of `tls` and a console.url, any. If the default is taken, it is a free port, unless people sign in at an issuer."},
	{Path: "console.url", field: func(c *Config) any { return &c.Console.URL },
		Doc: "The URL under which browsers reach the console from other machines, such as https://console.example: its own with TLS, or that of a proxy, which passes the Host header on."},
	{Path: "console.sign_in.issuer", field: func(c *Config) any { return &c.Console.SignIn.Issuer },
		Doc: "The URL of the issuer, to the letter as its tokens name it; https, or http on a loopback address. It must know the address that browsers come back to: console.url, or http:// and console.listen, with /sign-in/return after it. oauth.algorithms, oauth.skew and oauth.timeout hold for it, too."},
	{Path: "console.sign_in.client_id", field: func(c *Config) any { return &c.Console.SignIn.ClientID },
		Doc: "The name of the console with the issuer."},
	{Path: "console.sign_in.secret_file", field: func(c *Config) any { return &c.Console.SignIn.SecretFile },
		Doc: "The `FILE` with the secret that goes with client_id, mode 0600; without one the client is public."},
	{Path: "console.sign_in.ca", field: func(c *Config) any { return &c.Console.SignIn.CA },
		Doc: "A `FILE` of certificates that the issuer's must be signed by (default the system's)."},
	{Path: "console.sign_in.scopes", field: func(c *Config) any { return &c.Console.SignIn.Scopes },
		Doc: "What the issuer is asked for."},
	{Path: "console.sign_in.audience", field: func(c *Config) any { return &c.Console.SignIn.Audience },
		Doc: "For issuers without ID tokens: the audience of their access tokens, which then say who somebody is. They must be JWTs."},
	{Path: "console.sign_in.claim", field: func(c *Config) any { return &c.Console.SignIn.Claim },
		Doc: "The claim that decides: a text or a list of texts, such as groups, or realm_access.roles within another one."},
	{Path: "console.sign_in.look", field: func(c *Config) any { return &c.Console.SignIn.Look },
		Doc: "The values of the claim whose people may look. They are compared whole; the highest role counts."},
	{Path: "console.sign_in.answer", field: func(c *Config) any { return &c.Console.SignIn.Answer },
		Doc: "The values of the claim whose people may answer questions, too."},
	{Path: "console.sign_in.manage", field: func(c *Config) any { return &c.Console.SignIn.Manage },
		Doc: "The values of the claim whose people may change what is served, too."},
	{Path: "console.sign_in.called", field: func(c *Config) any { return &c.Console.SignIn.Called },
		Doc: "The claim that says what somebody is called on the pages. The record has their subject."},
	{Path: "console.sign_in.session", Min: int64(time.Second), Max: int64(12 * time.Hour), field: func(c *Config) any { return &c.Console.SignIn.Lasts },
		Doc: "How long a session lasts, at most 12h. Until it ends, a role holds that the issuer has taken away."},

	{Path: "telemetry.log_level", Flag: "log-level", Live: true, Choices: logLevels, field: func(c *Config) any { return &c.Telemetry.LogLevel },
		Doc: "The lowest `LEVEL` that is logged: error, warn, info or debug."},
	{Path: "telemetry.log_format", Flag: "log-format", Choices: logFormats, field: func(c *Config) any { return &c.Telemetry.LogFormat },
		Doc: "The `FORMAT` of log lines: text or json."},
	{Path: "telemetry.endpoint", Flag: "otlp-endpoint", field: func(c *Config) any { return &c.Telemetry.Endpoint },
		Doc: "The `URL` of an OTLP/HTTP receiver of traces, metrics and log lines (default what OTEL_EXPORTER_OTLP_ENDPOINT says, else none)."},
	{Path: "telemetry.slow_call", field: func(c *Config) any { return &c.Telemetry.SlowCall },
		Doc: "A call that takes this long, without the time of a person, has a log line that says what took it (default 0, none)."},
	{Path: "telemetry.open_metrics", Flag: "open-metrics", field: func(c *Config) any { return &c.Telemetry.OpenMetrics },
		Doc: "Show /metrics without a token."},
}

// Find returns the key with that name.
func Find(path string) (Key, bool) {
	for _, k := range Keys {
		if k.Path == path {
			return k, true
		}
	}
	return Key{}, false
}
