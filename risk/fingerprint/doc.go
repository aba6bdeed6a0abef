// Package fingerprint detects whether a tool is still the one that was reviewed,
// and if not, what changed.
//
// [Of] and [Reference] turn a tool definition, as it came over the wire, into a
// hash. [Compare] explains the difference between two definitions and reports
// whether capability grew. [Record] is the ledger entry of one tool; its methods
// are the state transitions and use neither clock nor storage.
package fingerprint
