package catalog

import (
	"slices"
	"time"
)

// Spec is a checked Safe Tool Spec. It does not change; an edit makes another
// one, see [Spec.With]. Only [Parse] makes a usable Spec.
type Spec struct {
	text   []byte  // the document as written
	within *within // the file it is part of, nil when it is the file

	toolID         string
	toolIDDeclared bool // the document says so itself
	name           string
	description    string
	category       string
	tags           []string
	params         []Param
	statics        []StaticVariable
	code           string
	overrides      Overrides
	declared       DeclaredSafety
	humanInTheLoop HumanInTheLoop
	draft          bool
	created        int64
	updated        int64
	extensions     []string

	hash ContentHash
}

// within locates a document in a larger file, so that a finding has the line of
// the file that a person opens.
type within struct {
	text    []byte
	offset  int
	pointer string
}

// CodeJavascript is the only code type there is.
const CodeJavascript = "Javascript"

// ParamType is the declared type of a parameter.
type ParamType uint8

const (
	String ParamType = iota
	Integer
	Number
	Boolean
	Object
	Array
)

// paramTypeNames holds the spelling in a document and the one on the wire.
var paramTypeNames = [...]struct{ spec, wire string }{
	String: {"STRING", "string"}, Integer: {"INTEGER", "integer"}, Number: {"NUMBER", "number"},
	Boolean: {"BOOLEAN", "boolean"}, Object: {"OBJECT", "object"}, Array: {"ARRAY", "array"},
}

// String returns the type as a document spells it.
func (t ParamType) String() string { return paramTypeNames[t].spec }

// JSONSchema returns the type as JSON Schema spells it.
func (t ParamType) JSONSchema() string { return paramTypeNames[t].wire }

// Param is one parameter, as a model sees it and as the Local Pass fills it.
type Param struct {
	Name        string
	Description string
	Type        ParamType
	Required    bool
	// TestValue is what the Local Pass runs with; nil when none is declared.
	TestValue *string
}

// StaticVariable is one server-side value; the template may hold ${ENV_VAR}
// references.
type StaticVariable struct{ Key, Value string }

// HumanInTheLoop says whether a person confirms each call.
type HumanInTheLoop struct {
	Mode           ApprovalMode
	PromptTemplate string // empty: the default question
}

// ApprovalMode is the author's request; empty leaves the choice to the operator's
// policy.
type ApprovalMode string

const (
	ApprovalUnset    ApprovalMode = ""
	ApprovalDisabled ApprovalMode = "DISABLED"
	ApprovalRequired ApprovalMode = "REQUIRED"
)

// DeclaredSafety is the claim of a file's toolSafety block. It grants nothing: it
// only tells which version and helpers the author wrote for.
type DeclaredSafety struct {
	Version     string // empty when the file does not say
	Helpers     []string
	JavaInterop bool
	Origin      string // category.source
}

// Raw returns the document as written, unknown fields, spacing and all.
func (s *Spec) Raw() []byte { return slices.Clone(s.text) }

// Extensions returns the names of the top-level fields that the format does not
// know, in document order. They have no effect here and stay in the document.
func (s *Spec) Extensions() []string { return slices.Clone(s.extensions) }

// ToolID returns the declared toolId, or the one derived from the name.
func (s *Spec) ToolID() string { return s.toolID }

// Name returns the tool name that models use.
func (s *Spec) Name() string { return s.name }

// Description returns the text that models choose a tool by.
func (s *Spec) Description() string { return s.description }

// Category returns the category label, empty when there is none.
func (s *Spec) Category() string { return s.category }

// Tags returns the cohort labels in document order.
func (s *Spec) Tags() []string { return slices.Clone(s.tags) }

// Params returns the parameters in document order.
func (s *Spec) Params() []Param { return slices.Clone(s.params) }

// StaticVariables returns the unresolved entries in document order, repeated
// keys included; the last of equal keys wins.
func (s *Spec) StaticVariables() []StaticVariable { return slices.Clone(s.statics) }

// Code returns the JavaScript body.
func (s *Spec) Code() string { return s.code }

// CodeType returns the language of the body.
func (s *Spec) CodeType() string { return CodeJavascript }

// Overrides returns the author's requested changes to the baseline.
func (s *Spec) Overrides() Overrides { return s.overrides.clone() }

// Declared returns the claims of the file's own toolSafety block.
func (s *Spec) Declared() DeclaredSafety {
	d := s.declared
	d.Helpers = slices.Clone(d.Helpers)
	return d
}

// HumanInTheLoop returns the author's request for approval.
func (s *Spec) HumanInTheLoop() HumanInTheLoop { return s.humanInTheLoop }

// Draft reports whether the document is a draft; a document that does not say is
// one.
func (s *Spec) Draft() bool { return s.draft }

// Created and Updated return the timestamps, the zero time when absent.
func (s *Spec) Created() time.Time { return milliseconds(s.created) }

// Updated returns when the document was last saved, the zero time when absent.
func (s *Spec) Updated() time.Time { return milliseconds(s.updated) }

func milliseconds(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// Hash identifies what the tool is and may do; see [ContentHash].
func (s *Spec) Hash() ContentHash { return s.hash }
