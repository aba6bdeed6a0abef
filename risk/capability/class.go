package capability

// A Class is something that a tool can do. Later classes are worse in general,
// but a level belongs to a rubric: risk/mcp has a table of its own.
type Class uint8

// The zero value is a tool whose text and schema gave no evidence.
const (
	Unknown Class = iota
	Compute
	Read
	SearchWeb
	ReadFile
	Fetch
	Query
	Change
	WriteFile
	Send
	Operate
	Actuate
	ReadSecret
	Grant
	RunSQL
	Pay
	Delete
	RunCode
	RunShell
	Destroy
	classCount
)

// A Sink is how far the consequences of a call reach.
type Sink uint8

const (
	NoSink   Sink = iota // nothing outside the answer changes
	Internal             // data that the tool's own service keeps
	External             // outsiders see it, or the physical world changes
	Exec                 // whatever the argument says
)

var sinkNames = [...]string{"none", "internal", "external", "exec"}

// String returns "none", "internal", "external" or "exec".
func (s Sink) String() string {
	if int(s) < len(sinkNames) {
		return sinkNames[s]
	}
	return sinkNames[Exec]
}

// A Source is what an answer may hold, as a set.
type Source uint8

const (
	PrivateData      Source = 1 << iota // data of the person or the organisation
	UntrustedContent                    // text that strangers can write
	SecretData                          // credentials that give access elsewhere
)

// A Row describes one class. IDs are never reused.
type Row struct {
	ID         string
	Class      Class
	Name       string
	Source     Source
	Sink       Sink
	Reversible bool // the effect of a call can be taken back, or there is none
	Summary    string
}

var rows = [classCount]Row{
	Unknown:    {"K00", Unknown, "unknown", PrivateData | UntrustedContent, Internal, false, "nothing in the definition says what it does"},
	Compute:    {"K01", Compute, "compute", 0, NoSink, true, "computes an answer from its arguments"},
	Read:       {"K02", Read, "read", PrivateData, NoSink, true, "looks at data that a service keeps"},
	SearchWeb:  {"K03", SearchWeb, "search-web", UntrustedContent, NoSink, true, "searches the open web"},
	ReadFile:   {"K04", ReadFile, "read-file", PrivateData | UntrustedContent, NoSink, true, "reads files or directories"},
	Fetch:      {"K05", Fetch, "fetch-url", UntrustedContent, External, true, "requests an address that an argument names"},
	Query:      {"K06", Query, "query-database", PrivateData, NoSink, true, "answers a statement in a query language"},
	Change:     {"K07", Change, "change", PrivateData, Internal, false, "creates or changes something"},
	WriteFile:  {"K08", WriteFile, "write-file", 0, Internal, false, "writes files or directories"},
	Send:       {"K09", Send, "send", 0, External, false, "sends something to people or to another service"},
	Operate:    {"K10", Operate, "operate-screen", UntrustedContent, External, false, "operates a browser, an app or a screen"},
	Actuate:    {"K11", Actuate, "actuate-device", 0, External, false, "moves or switches something in the physical world"},
	ReadSecret: {"K12", ReadSecret, "read-secret", SecretData, NoSink, false, "reveals a password, key or token"},
	Grant:      {"K13", Grant, "grant", 0, External, false, "changes who may do what, or who sees what"},
	RunSQL:     {"K14", RunSQL, "run-sql", PrivateData, Exec, false, "runs any statement on a database"},
	Pay:        {"K15", Pay, "pay", 0, External, false, "spends or moves money"},
	Delete:     {"K16", Delete, "delete", 0, Internal, false, "deletes something"},
	RunCode:    {"K17", RunCode, "run-code", PrivateData | UntrustedContent, Exec, false, "runs code that an argument holds"},
	RunShell:   {"K18", RunShell, "run-shell", PrivateData | UntrustedContent, Exec, false, "runs commands on a machine"},
	Destroy:    {"K19", Destroy, "destroy", 0, Internal, false, "deletes for good, or everything at once"},
}

// Row returns the description of a class.
func (c Class) Row() Row {
	if c < classCount {
		return rows[c]
	}
	return rows[Unknown]
}

// String returns the name of a class, such as "run-shell".
func (c Class) String() string { return c.Row().Name }

// MarshalText writes the name.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Rows returns the table of all classes, in order.
func Rows() []Row { return append([]Row(nil), rows[:]...) }
