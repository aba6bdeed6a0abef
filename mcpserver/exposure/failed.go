package exposure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// failed says in our words why there is no answer. The server's own words are in the
// private cause, or in an error object that clients get as one.
func (t *Tool) failed(err error) *governed.Failure {
	f := &governed.Failure{Kind: governed.UpstreamUnreachable, Cause: err}
	server := fmt.Sprintf("the server %q", t.origin.Upstream)
	if rpc := (*upstream.RPCError)(nil); errors.As(err, &rpc) {
		f.Kind, f.Message = governed.UpstreamError, fmt.Sprintf("%s answered with the error %d", server, rpc.Code)
		f.Verbatim = verbatim(rpc)
		if t.current != nil {
			f.Verbatim = t.current().JSON(f.Verbatim)
		}
		return f
	}
	var e *upstream.Error
	switch {
	case errors.As(err, &e):
	case errors.Is(err, context.Canceled):
		f.Kind, f.Message = governed.Cancelled, "the call was cancelled while "+server+" worked on it; it may have run"
		f.Advice = findOut
		return f
	case errors.Is(err, context.DeadlineExceeded):
		f.Kind, f.Message, f.Advice = governed.Timeout, server+" did not answer in time; the call may have run", findOut
		return f
	default:
		f.Kind, f.Message, f.Advice = governed.UpstreamLost, server+" gave no answer; the call may have run", findOut
		return f
	}
	switch e.Kind {
	case upstream.Busy:
		f.Kind, f.Message, f.Advice = governed.Throttled, server+" has too many calls already", "Try again later."
	case upstream.Timeout:
		f.Kind, f.Message = governed.Timeout, server+" did not answer in time"
	case upstream.Unauthorized:
		f.Message, f.Advice = server+" wants a login", "Only the operator can change that."
	case upstream.Protocol:
		f.Kind, f.Message = governed.UpstreamError, server+" answered with something that is no answer"
	default:
		f.Message, f.Advice = server+" cannot be reached", "Try again later."
	}
	if e.MayHaveRun {
		// Said of every kind: only the caller can find out.
		if f.Kind == governed.UpstreamUnreachable || f.Kind == governed.Throttled {
			f.Kind, f.Message = governed.UpstreamLost, "the connection with "+server+" ended"
		}
		f.Message += "; the call may have run"
		f.Advice = findOut
	}
	return f
}

const findOut = "Find out whether it had an effect before you repeat it."

// verbatim is the error object of a server.
func verbatim(e *upstream.RPCError) json.RawMessage {
	if e.Data != nil && !json.Valid(e.Data) {
		e.Data = nil
	}
	text, err := json.Marshal(struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{e.Code, e.Message, e.Data})
	if err != nil {
		return nil
	}
	return text
}

// judgeError looks for orders in the words of an error, and takes them out: an error is
// no content, so there is no place for a warning before them.
func (t *Tool) judgeError(f *governed.Failure) []governed.Order {
	if f.Verbatim == nil {
		return nil
	}
	orders := ordersIn(f.Verbatim)
	if len(orders) > 0 {
		f.Verbatim = nil
		f.Message += "; its words read like orders to the model and are withheld"
	}
	return orders
}
