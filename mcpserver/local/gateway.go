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
func operate(w http.ResponseWriter, r *http.Request, do func(ctx context.Context, by, verb string, body []byte) (any, error), code func(error) string) {
	if do == nil {
		reply(w, http.StatusNotFound, Problem{Code: "unavailable", Message: "this server does not have that"})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxVerb))
	if err != nil {
		reply(w, http.StatusBadRequest, Problem{Code: "bad-input", Message: err.Error()})
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
// answered.
func (p *Peer) Gateway(ctx context.Context, verb string, ask, answer any) error {
	return p.operate(ctx, "/gateway/"+url.PathEscape(verb), ask, answer)
}

// Tokens has the owner do a verb with the named tokens; see package tokens.
func (p *Peer) Tokens(ctx context.Context, verb string, ask, answer any) error {
	return p.operate(ctx, "/tokens/"+url.PathEscape(verb), ask, answer)
}

func (p *Peer) operate(ctx context.Context, path string, ask, answer any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	err = p.within(ctx, verbTime, http.MethodPost, path, bytes.NewReader(body), answer)
	if errors.Is(err, io.EOF) || hungUp(err) {
		return ErrNoOwner // a server that stops answers what it has read before it hangs up
	}
	return err
}
