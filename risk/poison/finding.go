package poison

import "fmt"

// Class is the kind of attack that a finding reports.
type Class string

const (
	InstructionOverride Class = "instruction_override" // overrides the model's instructions or its role
	Concealment         Class = "concealment"          // keeps something from the user
	SensitiveAccess     Class = "sensitive_access"     // reaches for credentials, private files, the conversation
	DataExfiltration    Class = "data_exfiltration"    // sends data where the user did not ask for it
	CommandExecution    Class = "command_execution"    // has the caller run something
	ParameterOverride   Class = "parameter_override"   // changes what the user asked for
	ToolShadowing       Class = "tool_shadowing"       // gives rules for other servers' tools
	OutputManipulation  Class = "output_manipulation"  // dictates what the model says
	TaskDenial          Class = "task_denial"          // has the model refuse or stop
	DestructiveAction   Class = "destructive_action"   // has the caller destroy something
	HiddenText          Class = "hidden_text"          // invisible characters
	DeceptiveText       Class = "deceptive_text"       // characters that look like others
	EncodedPayload      Class = "encoded_payload"      // text that must be decoded to be read
	ReferencePattern    Class = "reference_pattern"    // one of the nine published patterns
)

// Confidence is how certain a finding is. The default policy acts from Medium.
type Confidence uint8

const (
	Low    Confidence = iota // worth a look when something else is odd
	Medium                   // act: do not offer the tool before a person has read it
	High                     // refuse
)

var confidenceNames = [...]string{"low", "medium", "high"}

func (c Confidence) String() string { return confidenceNames[min(int(c), len(confidenceNames)-1)] }

// MarshalText writes "low", "medium" or "high".
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Confidence) UnmarshalText(text []byte) error {
	for i, name := range confidenceNames {
		if name == string(text) {
			*c = Confidence(i)
			return nil
		}
	}
	return fmt.Errorf("confidence %q: want low, medium or high", text)
}

// Finding is one place of a document that reads like an attack.
type Finding struct {
	Rule       string     `json:"rule"` // stable id
	Class      Class      `json:"class"`
	Confidence Confidence `json:"confidence"`
	Pointer    string     `json:"pointer"` // JSON pointer of the string; of the member, if its name is meant
	Place      string     `json:"place"`
	Start      int        `json:"start"` // byte offsets in the decoded string
	End        int        `json:"end"`
	Text       string     `json:"text"`             // the text found, every invisible character spelled out
	Hidden     string     `json:"hidden,omitempty"` // what it says once revealed or decoded
	Why        string     `json:"why"`
	Evidence   []string   `json:"evidence,omitempty"` // ids of the language rules that added up
	Points     int        `json:"points,omitempty"`
}

// Report is what a scan found, in document order.
type Report struct {
	Findings []Finding `json:"findings"`
}

// Flagged reports whether the default policy acts on the report.
func (r Report) Flagged() bool { return r.AtLeast(Medium) }

// AtLeast reports whether any finding has at least confidence c.
func (r Report) AtLeast(c Confidence) bool {
	for _, f := range r.Findings {
		if f.Confidence >= c {
			return true
		}
	}
	return false
}
