package score

import (
	"encoding/json"
	"time"
)

// ObservationVersion is the version of the stored form. A reader refuses versions
// that it does not know.
const ObservationVersion = 1

// Bounds of one scan. The probe keeps them and the rules explain failures by them.
const (
	CallTimeout    = 10 * time.Second // of one request; a server that thinks for longer is not usable
	MaxBody        = 1 << 20          // bytes of one answer
	MaxRedirects   = 3                // hops of the plain GET and of metadata
	MaxPages       = 5                // of one list
	MaxItems       = 500              // of one list
	MaxReads       = 3                // resources that are read
	MaxReadBytes   = 8 << 10          // of one resource that is read
	SlowScan       = 15 * time.Second // initialize and all lists together
	MaxActiveCalls = 3                // of the opt-in active probe
)

// Kind is how a server is reached.
type Kind string

const (
	HTTP  Kind = "http"  // streamable HTTP
	SSE   Kind = "sse"   // the older HTTP transport with an event stream
	Stdio Kind = "stdio" // a child process
	List  Kind = "list"  // only a stored tools/list; nothing was contacted
)

// Depth is how much the scan was allowed to see.
type Depth string

const (
	Passive Depth = "passive" // no credentials
	Limited Depth = "limited" // no credentials, and the server demands some
	DCR     Depth = "dcr"     // with client credentials registered for this scan
	APIKey  Depth = "api-key" // with a token or key that the operator gave
	SignIn  Depth = "sign-in" // with the tokens of a stored sign-in
)

// Observation is everything that one scan saw. The zero value saw nothing.
type Observation struct {
	Version int       `json:"version"`
	Target  Target    `json:"target"`
	Seen    time.Time `json:"seen"`
	TookMS  int64     `json:"tookMs"`            // initialize and all lists
	Vantage string    `json:"vantage,omitempty"` // where the scan ran, in the operator's words
	Depth   Depth     `json:"depth"`

	Wire   *Wire   `json:"wire,omitempty"`   // the plain GET; nil for stdio and list
	Origin *Origin `json:"origin,omitempty"` // the request with a foreign Origin
	Auth   *Auth   `json:"auth,omitempty"`   // nil when no authorization was demanded
	Hello  *Hello  `json:"hello,omitempty"`  // nil when the handshake failed

	Tools     Listing `json:"tools"`
	Resources Listing `json:"resources"`
	Prompts   Listing `json:"prompts"`
	Reads     []Read  `json:"reads,omitempty"`
	Active    *Active `json:"active,omitempty"` // nil unless the active probe ran

	Published *Published `json:"published,omitempty"` // nil when no registry was asked

	Redacted *Redaction `json:"redacted,omitempty"` // nil before Redact
	Stops    []Stop     `json:"stops,omitempty"`    // bounds that ended something
	Failures []Failure  `json:"failures,omitempty"`
}

// Target is what was scanned.
type Target struct {
	Kind    Kind     `json:"kind"`
	URL     string   `json:"url,omitempty"`
	Command []string `json:"command,omitempty"`
	Name    string   `json:"name,omitempty"` // the operator's name for it, or of the stored list
}

// Identity is the key under which scans of one server are compared.
func (t Target) Identity() string {
	switch {
	case t.URL != "":
		return string(t.Kind) + " " + t.URL
	case len(t.Command) > 0:
		raw, _ := json.Marshal(t.Command) // strings always marshal
		return string(t.Kind) + " " + string(raw)
	}
	return string(t.Kind) + " " + t.Name
}

// Wire is what a plain GET of the endpoint showed.
type Wire struct {
	Status      int    `json:"status,omitempty"` // 0 when there was no answer
	ContentType string `json:"contentType,omitempty"`
	FinalURL    string `json:"finalUrl,omitempty"`
	Redirects   []Hop  `json:"redirects,omitempty"`
	HSTS        string `json:"hsts,omitempty"`
	TLS         *TLS   `json:"tls,omitempty"` // nil for plain http
}

// Hop is one redirect.
type Hop struct {
	Status int    `json:"status"`
	To     string `json:"to"`
}

// TLS is what the handshake showed. Problem is empty when it completed with a
// certificate that the machine trusts.
type TLS struct {
	Version  string    `json:"version,omitempty"` // such as "1.3"
	Problem  string    `json:"problem,omitempty"` // such as "expired"
	Detail   string    `json:"detail,omitempty"`
	NotAfter time.Time `json:"notAfter,omitzero"`
	CN       string    `json:"cn,omitempty"`
	SANs     []string  `json:"sans,omitempty"`
}

// Origin is the answer to initialize with the Origin of another site.
type Origin struct {
	Sent   string `json:"sent"`
	Status int    `json:"status,omitempty"` // 0 when there was no answer
}

// Auth is what a server that demands authorization says about it.
type Auth struct {
	Status    int        `json:"status"` // 401 or 403
	Challenge string     `json:"challenge,omitempty"`
	Resource  *Document  `json:"resource,omitempty"` // RFC 9728
	Issuers   []Document `json:"issuers,omitempty"`  // RFC 8414 or OpenID Connect Discovery, one for each named server
	Fetches   []Fetch    `json:"fetches,omitempty"`
}

// Document is a metadata document that parsed as a JSON object.
type Document struct {
	From   string          `json:"from"` // its URL
	Issuer string          `json:"issuer,omitempty"`
	Raw    json.RawMessage `json:"raw,omitempty"` // nil when nothing parsed
}

// Fetch is one request for a well-known document.
type Fetch struct {
	URL         string `json:"url"`
	Status      int    `json:"status,omitempty"`
	ContentType string `json:"contentType,omitempty"`
	Problem     string `json:"problem,omitempty"`
}

// Hello is the answer to initialize or server/discover.
type Hello struct {
	Era          string          `json:"era"` // "legacy" or "modern"
	Protocol     string          `json:"protocol,omitempty"`
	Server       json.RawMessage `json:"server,omitempty"`
	Instructions string          `json:"instructions,omitempty"`
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
}

// Listing is one list, each item as the bytes sent.
type Listing struct {
	Asked bool              `json:"asked,omitempty"`
	Items []json.RawMessage `json:"items,omitempty"`
	Pages int               `json:"pages,omitempty"`
	More  bool              `json:"more,omitempty"` // a bound ended the walk before the last page
	Error string            `json:"error,omitempty"`
}

// OK reports whether the list arrived, complete or not.
func (l Listing) OK() bool { return l.Asked && l.Error == "" }

// Read is one resource that was read.
type Read struct {
	URI   string `json:"uri"`
	Text  string `json:"text,omitempty"`
	More  bool   `json:"more,omitempty"` // longer than what was kept
	Error string `json:"error,omitempty"`
}

// Published is what a registry said of a server's package.
type Published struct {
	Registry string    `json:"registry"` // npm, pypi or go
	Package  string    `json:"package"`
	Version  string    `json:"version,omitempty"` // the latest one
	Asked    time.Time `json:"asked"`
	Problem  string    `json:"problem,omitempty"` // why there is no version
}

// Active is what the active probe saw. It calls tools, so it only runs when the
// operator asks twice.
type Active struct {
	Calls []ActiveCall `json:"calls,omitempty"`
}

// ActiveCall is one call of a tool that only reads.
type ActiveCall struct {
	Tool  string `json:"tool"`
	Error string `json:"error,omitempty"` // the server refused arguments that its own schema admits
}

// Stop is a bound that ended a step of the scan.
type Stop struct {
	Bound string `json:"bound"` // "size", "redirects" or "time"
	At    string `json:"at"`    // the step
}

// Failure is a step that did not succeed.
type Failure struct {
	At  string `json:"at"`
	Why string `json:"why"`
}

// stopped returns the first step that a bound ended.
func (o *Observation) stopped(bound string) (at string, ok bool) {
	for _, s := range o.Stops {
		if s.Bound == bound {
			return s.At, true
		}
	}
	return "", false
}
