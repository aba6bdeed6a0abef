// Package netguard dials only addresses it has just checked. It guards every network
// access made on another party's behalf: a tool's fetch, an upstream server's URL, a
// page to be scanned.
//
// A [Guard] has three lines of defence, used in this order:
//
//   - [Guard.CheckURL] needs no I/O: scheme, host name against the lists,
//     spelled-out addresses, ports, credentials in the URL.
//   - [Guard.DialContext] resolves the name once, checks every address of the
//     answer and dials one of exactly those, so that a second DNS answer is
//     never asked for.
//   - [Guard.Transport] does both for every request, redirects included.
//
// What an address is, is decided by [Special], from the two IANA registries of
// special-purpose addresses; what a host is, by [ParseHost], which reads every
// spelling of IPv4 that a libc or a browser would.
//
// The package knows nothing of tools or postures. Its zero values reach nothing.
package netguard
