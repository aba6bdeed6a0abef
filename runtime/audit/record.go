package audit

import (
	"encoding/json"
	"time"
)

// Outcome is how an invocation ended.
type Outcome string

const (
	OK      Outcome = "OK"      // the tool returned
	Error   Outcome = "ERROR"   // the tool ran and failed
	Refused Outcome = "REFUSED" // the tool never ran
	// Asked marks an interim record: a person was asked. The outcome is recorded
	// separately, with the same approval.
	Asked Outcome = "ASKED"
)

// Record describes one invocation. Its maker masks secrets in Parameters and Cause; the
// log shortens values that are too long.
type Record struct {
	Time time.Time `json:"time"`
	ID   string    `json:"id"` // correlation id, also given to the caller
	// Trace is the trace id of the call, 32 hexadecimal digits, if it belongs to a trace.
	Trace  string `json:"traceId,omitempty"`
	ToolID string `json:"toolId"`
	Tool   string `json:"name"`
	// Category is the category's id in the document, verbatim.
	Category    string          `json:"category"`
	ToolSafety  json.RawMessage `json:"toolSafety,omitempty"`
	RiskLevel   string          `json:"riskLevel"`
	ContentHash string          `json:"contentHash,omitempty"`
	Decision    string          `json:"decision"`
	Caller      string          `json:"caller,omitempty"`   // a principal, or "local"
	Client      string          `json:"client,omitempty"`   // what its program calls itself; nobody has checked it
	Approval    *Approval       `json:"approval,omitempty"` // if a person had to approve
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	// ParametersSize is set if Parameters are only the beginning of what was given: the
	// size of the whole in bytes. The log shortens them then.
	ParametersSize int                    `json:"-"`
	Outcome        Outcome                `json:"outcome"`
	Cause          *Cause                 `json:"cause,omitempty"`
	Elapsed        Microseconds           `json:"elapsedUs"`
	Fuel           uint64                 `json:"fuel"`
	Statements     uint64                 `json:"statements"`
	PeakMemory     uint64                 `json:"peakMemory"` // bytes
	HostCalls      map[string]HostCallSum `json:"hostCalls,omitempty"`
	// Blocked counts what the sandbox's guards stopped, by category/reason.
	Blocked map[string]int `json:"blocked,omitempty"`
	// Hosts are the hosts that requests were sent to.
	Hosts      []string        `json:"hosts,omitempty"`
	Redactions json.RawMessage `json:"redactions,omitempty"`
	// Orders are texts in what another server answered that read like orders to the
	// model.
	Orders json.RawMessage `json:"orders,omitempty"`
	// Flow is what a decision by the session's labels rests on, and what it led to.
	Flow json.RawMessage `json:"flow,omitempty"`
	// Coalesced is set by the log: a flood of refused calls shares records.
	Coalesced *Coalesced `json:"coalesced,omitempty"`
}

// Approval is the outcome of an approval request.
type Approval struct {
	ID      string `json:"id,omitempty"` // of the question, if one was asked
	Outcome string `json:"outcome"`
	By      string `json:"by,omitempty"`   // the person who answered
	Rest    bool   `json:"rest,omitempty"` // the yes is for the rest of the task as well
}

// Cause says why an invocation failed. Message is the private cause: it is for the
// operator and never goes to the model.
type Cause struct {
	Kind    string `json:"kind"`
	Pointer string `json:"pointer,omitempty"`
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
}

// HostCallSum totals the calls of one operation in one invocation.
type HostCallSum struct {
	Calls    int    `json:"calls"`
	Failed   int    `json:"failed,omitempty"`
	BytesOut uint64 `json:"bytesOut,omitempty"` // from the guest
	BytesIn  uint64 `json:"bytesIn,omitempty"`  // to the guest
}

// Microseconds is a duration written as a whole number of microseconds.
type Microseconds time.Duration

// MarshalJSON writes whole microseconds.
func (m Microseconds) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(m).Microseconds())
}

// UnmarshalJSON reads whole microseconds.
func (m *Microseconds) UnmarshalJSON(text []byte) error {
	var n int64
	err := json.Unmarshal(text, &n)
	*m = Microseconds(time.Duration(n) * time.Microsecond)
	return err
}
