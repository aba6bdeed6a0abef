package live

import "slices"

// Signal is why a session is killed. The list is closed; the names are those of the tool
// risk contract where it has one.
type Signal string

const (
	SecretInArgument Signal = "raw_secret_in_tool_argument"
	SecretLeaves     Signal = "secret_leaves_its_origin"
	SurfaceGrew      Signal = "tool_list_changed_after_approval"
	PrivateAddress   Signal = "private_network_or_metadata_ip_destination"
	ApprovalBypass   Signal = "approval_bypass_attempt"
	ByOperator       Signal = "operator"
)

var signals = []Signal{SecretInArgument, SecretLeaves, SurfaceGrew, PrivateAddress, ApprovalBypass, ByOperator}

// Known reports whether a signal is one of the list.
func (s Signal) Known() bool { return slices.Contains(signals, s) }

// Drift says whether a tool is still the one that was reviewed.
type Drift uint8

const (
	Same    Drift = iota
	Changed       // another definition
	Grown         // one that can do more
)
