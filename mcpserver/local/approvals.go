package local

import (
	"net/http"

	"github.com/glovebox-run/glovebox/mcpserver/approve/answers"
)

// Problem is the body of every answer other than success.
type Problem = answers.Problem

// Unknown is the problem code of what is not there.
const Unknown = answers.Unknown

func reply(w http.ResponseWriter, status int, body any) { answers.Reply(w, status, body) }

func refuse(w http.ResponseWriter, err error) { answers.Refuse(w, err) }

// Questions returns the questions of the owner. The person behind this process answers
// them: the owner asks the kernel who that is.
func (p *Peer) Questions() answers.Client { return answers.Client{Ask: p.ask} }
