// Package fingerprint tells whether a tool is still the one that was reviewed,
// and if not, what changed.
//
// [Of] and [Reference] turn a tool definition, as it came over the wire, into a
// hash. [Compare] explains the difference between two definitions and says
// whether capability grew. [Record] is the entry of one tool in the ledger; its
// methods are the transitions between its states and touch neither clock nor
// storage.
package fingerprint
