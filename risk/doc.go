// Package risk says how dangerous something is and what to do about it: levels,
// server and tool risk, poisoning, shadowing, fingerprints, the decision
// contract and the response sanitiser.
//
// The package is pure: no network, no files, no clock, no randomness. The same
// input gives the same answer, so every answer can be checked again later.
//
// Read [Level], [Decision] and [Clearance] first.
package risk
