// Package eras turns what another server sent into what a client of another protocol
// version can take.
//
//	Client.Result   the result of a call, a read, a prompt or a completion
//	Definition      the entry of a tool in a list
//
// Bytes that a client understands or may ignore are left alone. What its version
// cannot express is said in words that it can, and docs/gateway-eras.md lists each
// case. The package is pure: bytes in, bytes out.
package eras

// Stateless is the first protocol version without sessions. Versions are dates, so
// they compare as strings.
const Stateless = "2026-07-28"
