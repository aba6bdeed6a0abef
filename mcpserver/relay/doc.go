// Package relay describes what another server offers beside tools, for the views that
// pass it on.
//
//	Source   the resources, templates and prompts of one server, and how it is asked
//	Entry    one of them, as the bytes that came
//
// It decides nothing: what may be offered was admitted before, and each request is a
// governed call.
package relay
