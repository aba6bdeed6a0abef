// Package composition holds the pure functions for a set of upstream tools that is
// re-published as a whole: which alias a tool gets, whether the set may be enabled,
// what the re-published definition looks like, and which keys the context of a call
// carries. A gateway calls them; none of them talks to a server or stores anything.
//
// Read [Composition] and [Check] first.
package composition
