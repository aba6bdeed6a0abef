// Package netguard dials only an address that it has just checked. It stands in
// front of whatever reaches the network for somebody else.
package netguard
