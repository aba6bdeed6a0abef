package mcpserver

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/glovebox-run/glovebox/risk/egress"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// maxProblems bounds how many argument problems a model is told: after the first
// few it has to look at the schema anyway.
const maxProblems = 10

// failureText tells a model about a failed call: what it can act on, and a
// reference for the operator. Errors of the tool or the machine stay in the
// record.
func failureText(name string, r *governed.Result) string {
	f, reference := r.Failure, r.ID
	if f.Kind == governed.InvalidArguments {
		return argumentText(name, f)
	}
	if !r.Ran {
		switch f.Kind {
		case governed.NotCleared, governed.Throttled, governed.Stopping, governed.NotLent, governed.Cancelled:
			return strings.TrimSpace(fmt.Sprintf("The tool %q was not run: %s. %s", name, f.Message, f.Advice))
		}
	}
	why, advice := "", "Do not retry with the same arguments."
	switch f.Kind {
	case governed.UpstreamUnreachable, governed.UpstreamLost, governed.UpstreamError, governed.NotCleared, governed.Throttled:
		why, advice = f.Message, f.Advice // our own words about its server
	case governed.Timeout:
		why, advice = "it took longer than it may", cmp.Or(f.Advice, advice)
	case governed.StatementLimit, governed.FuelLimit:
		why = "it computed more than it may"
	case governed.MemoryLimit, governed.StackLimit:
		why = "it used more memory than it may"
	case governed.CodeTooLarge:
		why, advice = "its code is too large to compile", "Only its author can change that."
	case governed.OutputTooLarge:
		why = "its result is larger than it may be"
	case governed.NeverSettles:
		why = "it waits for something that cannot happen"
	case governed.Refused:
		why = "it asked for something that it may not have"
	case governed.Cancelled:
		why, advice = "the call was cancelled", f.Advice
	case governed.OutputBlocked:
		why = "the operator's policy does not pass its result on"
	case governed.MissingRequirements, governed.PostureRefused:
		why, advice = "it is not set up here", "Only the operator can change that."
	case governed.AuditUnavailable:
		why, advice = "calls cannot be recorded at the moment", "Only the operator can change that."
	default:
		if f.Told != "" {
			return fmt.Sprintf("The tool %q failed: %s", name, f.Told)
		}
		// An exception, broken code, a failed host call: the record has the cause,
		// and the model must not see it.
		return egress.PublicFailure(name, reference)
	}
	return strings.TrimSpace(fmt.Sprintf("The tool %q failed: %s (%s, reference %s). %s", name, why, f.Kind, reference, advice))
}

// argumentText names each problem by JSON pointer, so that a model can fix it.
func argumentText(name string, f *governed.Failure) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The tool %q was not run: its arguments do not fit.", name)
	told := 0
	for _, p := range f.Problems {
		if p.Warning {
			continue
		}
		if told++; told > maxProblems {
			b.WriteString("\n- and more")
			break
		}
		pointer := p.Pointer
		if pointer == "" {
			pointer = "(all of them)"
		}
		fmt.Fprintf(&b, "\n- %s: %s", pointer, p.Message)
	}
	return b.String()
}
