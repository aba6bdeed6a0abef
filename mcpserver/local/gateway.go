package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	// maxVerb bounds the body of a verb, in bytes: a lock file of thousands of tools.
	maxVerb = 4 << 20
	// verbTime is how long a verb may take: one that reaches a server starts a program,
	// which may be downloaded first.
	verbTime = 5 * time.Minute
)

// operate has do do a verb for the person behind the connection.
func (o *Owner) operate(w http.ResponseWriter, r *http.Request, do func(ctx context.Context, by, verb string, body []byte) (any, error), code func(error) string) {
	if do == nil {
		reply(w, http.StatusNotFound, Problem{Code: "unavailable", Message: "this server does not have that"})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxVerb))
	if err != nil {
		reply(w, http.StatusBadRequest, Problem{Code: "bad-input", Message: err.Error()})
		return
	}
	if err := o.begun.add(r); err != nil {
		reply(w, http.StatusServiceUnavailable, Problem{Code: "not-begun", Message: "nothing was done, as it cannot be written down that it is: " + err.Error()})
		return
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(verbTime + writeTime))
	answer, err := do(r.Context(), peerOf(r).operator(), r.PathValue("verb"), body)
	if err != nil {
		reply(w, http.StatusConflict, Problem{Code: code(err), Message: err.Error()})
		return
	}
	reply(w, http.StatusOK, answer)
}

// Gateway has the owner's gateway do a verb; see package gateway for what is asked and
// answered. ErrNoOwner means that nobody has begun it, ErrCut that it may have been done.
func (p *Peer) Gateway(ctx context.Context, verb string, ask, answer any) error {
	return p.operate(ctx, "/gateway/"+url.PathEscape(verb), ask, answer)
}

// Tokens has the owner do a verb with the named tokens; see package tokens. Its errors
// are those of Gateway.
func (p *Peer) Tokens(ctx context.Context, verb string, ask, answer any) error {
	return p.operate(ctx, "/tokens/"+url.PathEscape(verb), ask, answer)
}

func (p *Peer) operate(ctx context.Context, path string, ask, answer any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	id := newVerbID()
	err = p.within(ctx, verbTime, http.MethodPost, path, bytes.NewReader(body), answer, verbHeader, id)
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !hungUp(err) {
		return err
	}
	// A connection ends without an answer when its process has ended, or never read from it.
	// In either case the file says all that there is to say.
	if was, err := wasBegun(p.state, id); was || err != nil {
		return errors.Join(ErrCut, err)
	}
	return ErrNoOwner
}
