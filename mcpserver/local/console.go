package local

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// entering is the body of POST /console. It does not name the person: the kernel does.
type entering struct {
	Role string `json:"role"`
}

// Entry is the answer: an address that signs the person in, once.
type Entry struct {
	URL string `json:"url"`
}

// maxEnter bounds the body of POST /console, in bytes: a role.
const maxEnter = 1 << 10

// enter makes a link to the console for the person behind the connection.
func (c Config) enter(w http.ResponseWriter, r *http.Request) {
	if c.Console == nil {
		reply(w, http.StatusNotFound, Problem{Code: "unavailable", Message: "this server has no console"})
		return
	}
	var asked entering
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxEnter))
	body.DisallowUnknownFields()
	if err := body.Decode(&asked); err != nil {
		reply(w, http.StatusBadRequest, Problem{Code: "bad-input", Message: `the body must be {"role": "..."}`})
		return
	}
	url, err := c.Console(peerOf(r).operator(), asked.Role)
	if err != nil {
		reply(w, http.StatusConflict, Problem{Code: "no-console", Message: err.Error()})
		return
	}
	reply(w, http.StatusOK, Entry{url})
}

// Console asks the owner for an address that signs this user in to its console.
func (p *Peer) Console(ctx context.Context, role string) (url string, err error) {
	body, err := json.Marshal(entering{role})
	if err != nil {
		return "", err
	}
	var e Entry
	err = p.ask(ctx, http.MethodPost, "/console", strings.NewReader(string(body)), &e)
	return e.URL, err
}
