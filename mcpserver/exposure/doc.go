// Package exposure decides which tools of other servers are offered, and wraps those
// that are.
//
//	Registration  one server that the operator knows of, and how far it is trusted
//	Exposure      what the operator offers of one server by hand
//	Composition   a named set of tools of several servers
//	Registry      keeps all three in the store, beside those of the configuration
//	Admit         the one way in: what is offered, and why the rest is not
//	Tool          one offered tool: a call of it is a governed call of its server
//
// Whatever brings a tool here, a command, the configuration, an import or a server that
// changed its mind, it is offered only if [Admit] says so, and Admit says so only for a
// definition that the ledger of pins accepts. Admit has no state and no clock.
package exposure
