package contract

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/risk/contract/pyjson"
)

// ErrInvalidRequest is wrapped by every error about a request that cannot be
// read. Such a request has no decision, and its caller must not run the call.
var ErrInvalidRequest = errors.New("invalid request")

// Request is one proposed tool call, normalised. The zero value names no tool
// and is held. Its JSON form is the one an answer repeats; [ParseRequest] reads
// what a caller sends.
type Request struct {
	Namespace           string `json:"namespace"`             // looked up first
	ConnectorID         string `json:"connector_id"`          // looked up when the namespace is not registered
	WorkflowID          string `json:"workflow_id"`           // empty: the workflow is not checked
	RequestedAccessMode string `json:"requested_access_mode"` // empty: the mode is not checked

	ServerTrusted               bool `json:"server_trusted"` // the caller vouches for the server
	SessionReadsPrivateData     bool `json:"session_reads_private_data"`
	SessionSeesUntrustedContent bool `json:"session_sees_untrusted_content"`
	SessionCanExfiltrate        bool `json:"session_can_exfiltrate"`

	Approved   bool   `json:"approved"`    // the request has a valid approval record
	ApprovalID string `json:"approval_id"` // of that record; does not affect the decision

	RuntimeKillSignal            string `json:"runtime_kill_signal"` // any text kills, as do the next three
	ContainsSecret               bool   `json:"contains_secret"`
	ToolListChangedAfterApproval bool   `json:"tool_list_changed_after_approval"`
	PrivateNetworkDestination    bool   `json:"private_network_destination"`

	// These do not affect the decision; an answer repeats them.
	ToolName         string `json:"tool_name"`
	AgentID          string `json:"agent_id"`
	RunID            string `json:"run_id"`
	SessionID        string `json:"session_id"`
	CorrelationID    string `json:"correlation_id"`
	GatePhase        string `json:"gate_phase"`
	AnnotationSource string `json:"annotation_source"`

	// Digest is the SHA-256 of the whole request document as compact JSON with
	// sorted names, including members that do not affect the decision.
	Digest [sha256.Size]byte `json:"-"`

	hints claims
}

// ParseRequest reads a request in the contract's own JSON. Members of the wrong
// type are normalised as the published evaluator does; a document that is not a
// JSON object, or that a strict JSON reader refuses, is an error.
func ParseRequest(raw []byte) (Request, error) {
	v, err := pyjson.Parse(raw)
	if err != nil {
		return Request{}, fmt.Errorf("%w: %w", ErrInvalidRequest, err)
	}
	return normalise(v)
}

// usualSize is the usual size of a request's compact form, in bytes.
const usualSize = 512

func normalise(v pyjson.Value) (Request, error) {
	if v.Kind != pyjson.Object {
		return Request{}, fmt.Errorf("%w: want a JSON object", ErrInvalidRequest)
	}
	r := Request{Digest: sha256.Sum256(v.AppendCompact(make([]byte, 0, usualSize)))}
	for i, name := range v.Names {
		member := v.Items[i]
		if field := r.textField(name); field != nil {
			*field = member.Trimmed()
		} else if field := r.flagField(name); field != nil {
			*field = member.Flag()
		}
	}
	r.hints = readClaims(v.Get(annotationsMember))
	r.ApprovalID, r.Approved = approval(v.Get(approvalMember))
	return r, nil
}

const (
	annotationsMember = "annotations"
	approvalMember    = "human_approval_record"
)

func (r *Request) textField(name string) *string {
	switch name {
	case "workflow_id":
		return &r.WorkflowID
	case "namespace":
		return &r.Namespace
	case "connector_id":
		return &r.ConnectorID
	case "requested_access_mode":
		return &r.RequestedAccessMode
	case "runtime_kill_signal":
		return &r.RuntimeKillSignal
	case "agent_id":
		return &r.AgentID
	case "run_id":
		return &r.RunID
	case "session_id":
		return &r.SessionID
	case "correlation_id":
		return &r.CorrelationID
	case "gate_phase":
		return &r.GatePhase
	case "annotation_source":
		return &r.AnnotationSource
	case "tool_name":
		return &r.ToolName
	}
	return nil
}

func (r *Request) flagField(name string) *bool {
	switch name {
	case "server_trusted":
		return &r.ServerTrusted
	case "session_reads_private_data":
		return &r.SessionReadsPrivateData
	case "session_sees_untrusted_content":
		return &r.SessionSeesUntrustedContent
	case "session_can_exfiltrate":
		return &r.SessionCanExfiltrate
	case "contains_secret":
		return &r.ContainsSecret
	case "tool_list_changed_after_approval":
		return &r.ToolListChangedAfterApproval
	case "private_network_destination":
		return &r.PrivateNetworkDestination
	}
	return nil
}

// approval returns the id of an approval record and whether it counts: it needs one
// of three ids to be non-empty and a decision that is yes or absent. The decision is
// not trimmed, and an explicit null is not a yes.
func approval(record pyjson.Value) (id string, counts bool) {
	for _, name := range [...]string{"id", "approval_id", "ticket_id"} {
		if v := record.Get(name); v.Truthy() {
			id, counts = v.Str(), true
			break
		}
	}
	decision, present := record.Lookup("decision")
	if !counts || !present {
		return id, counts
	}
	switch strings.ToLower(decision.Str()) {
	case "approved", "accept", "accepted", "allow":
		return id, true
	}
	return "", false
}
