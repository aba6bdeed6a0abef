package telemetry

import "context"

// OpenWith opens with an exporter of the test's own.
var OpenWith = open

// MaxLabels is how many values of a label there are.
const MaxLabels = maxLabels

// Outcomes are the rows for kinds of failure.
var Outcomes = outcomes

// Flush exports what is waiting.
func (t *Telemetry) Flush(ctx context.Context) error { return t.spans.ForceFlush(ctx) }
