package runtime

import (
	"errors"

	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Results and failures are defined in package governed; these aliases are for callers
// that import only this package.
type (
	Result  = governed.Result
	Failure = governed.Failure
	Kind    = governed.Kind
)

// The kinds of failures.
const (
	InvalidArguments    = governed.InvalidArguments
	NotCleared          = governed.NotCleared
	MissingRequirements = governed.MissingRequirements
	PostureRefused      = governed.PostureRefused
	AuditUnavailable    = governed.AuditUnavailable
	OutputBlocked       = governed.OutputBlocked
	Throttled           = governed.Throttled
	Stopping            = governed.Stopping
	NotLent             = governed.NotLent
	CodeTooLarge        = governed.CodeTooLarge
	SyntaxError         = governed.SyntaxError
	Exception           = governed.Exception
	StatementLimit      = governed.StatementLimit
	FuelLimit           = governed.FuelLimit
	Timeout             = governed.Timeout
	Cancelled           = governed.Cancelled
	MemoryLimit         = governed.MemoryLimit
	StackLimit          = governed.StackLimit
	OutputTooLarge      = governed.OutputTooLarge
	NeverSettles        = governed.NeverSettles
	Refused             = governed.Refused
	HostFailure         = governed.HostFailure
	Internal            = governed.Internal
)

// MaxDepth is how deep the JSON that a tool returns may be nested.
const MaxDepth = governed.MaxDepth

// failureOf turns an engine's error into a failure. An error without a kind is a
// defect of ours.
func failureOf(err error) *Failure {
	var e *jsengine.Failure
	if !errors.As(err, &e) {
		return &Failure{Kind: jsengine.Internal, Message: "the engine failed", Cause: err}
	}
	message := e.Message
	if why := whyMissing(e); why != "" {
		message += ": " + why
	}
	return &Failure{Kind: e.Kind, Name: e.Name, Message: message, Stack: e.Stack, Told: e.Told, Refusal: e.Refusal, Cause: e.Cause}
}
