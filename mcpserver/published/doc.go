// Package published asks registries which version of a known server they publish: npm,
// PyPI and the Go module proxy. It is for a scan that tells a server that it is outdated.
//
//	Packages  the list of servers that are asked about; no other name leaves the machine
//	Lookup    asks, within a bound, and remembers the answer for an hour
package published
