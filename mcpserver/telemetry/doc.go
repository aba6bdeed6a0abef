// Package telemetry shows an operator what a server does: spans, counts and log
// lines.
//
//	Config     what the operator decides
//	Telemetry  one for a server; nil observes nothing
//	Tool       what is said of each call of one tool, made once
//	Call       one call, from its arrival to its answer
//
// Spans go to a receiver of the OpenTelemetry protocol, counts wait for Prometheus
// to fetch them, lines go to standard error. None of them holds what a client or a
// tool says: arguments, results and messages are in the audit record, which the
// correlation id leads to. What is left is cleaned of secrets once more, in
// mask.go. Every name is listed in docs/telemetry.md.
//
// A receiver that hangs or refuses delays no call: spans wait in a bounded queue
// and are dropped when it is full.
package telemetry
