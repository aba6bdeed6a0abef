// Package telemetry shows an operator what a server does: spans, metrics and log
// lines.
//
//	Config     the operator's settings
//	Telemetry  one per server; nil observes nothing
//	Tool       what is reported with each call of one tool, prepared once
//	Call       one call, from its arrival to its answer
//
// Spans go to an OpenTelemetry receiver, Prometheus scrapes the metrics, and log
// lines go to standard error. None of them holds text from a client or a tool:
// arguments, results and messages are in the audit record, under the call's
// correlation id. Everything else is cleaned of secrets once more, in mask.go.
// docs/telemetry.md lists every name.
//
// A receiver that hangs or refuses delays no call: spans wait in a bounded queue
// and are dropped when it is full.
package telemetry
