package replica

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// A message is a line of JSON and, behind it, bytes of a body.

// pieceSize bounds the bytes of a body in one message, so that with 64 KiB of headers it
// stays below store.MaxSaid.
const pieceSize = store.MaxSaid / 2

// opening asks a member to answer a request.
type opening struct {
	Exchange string      `json:"exchange"` // the subject at which the asking member hears the answer
	Method   string      `json:"method"`
	URI      string      `json:"uri"`
	Host     string      `json:"host"`
	Header   http.Header `json:"header"`
	Length   int         `json:"length"` // of the body, whose beginning comes with this
}

// taken is the answer to an opening.
type taken struct {
	Refused string `json:"refused,omitempty"`
}

// piece is a part of an answer, or a request for a part of the body.
type piece struct {
	Head *head `json:"head,omitempty"` // comes first, once
	End  bool  `json:"end,omitempty"`
	// Cut is why the answer ends before its end.
	Cut  string `json:"cut,omitempty"`
	Body *span  `json:"body,omitempty"` // wants this part of the request's body
}

type head struct {
	Status int         `json:"status"`
	Header http.Header `json:"header"`
}

type span struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// heard is the answer to a piece.
type heard struct {
	Gone bool `json:"gone,omitempty"` // the client hung up
}

func packed(said any, body []byte) []byte {
	text, err := json.Marshal(said)
	if err != nil {
		panic(err) // cannot fail: strings and numbers
	}
	return append(append(text, '\n'), body...)
}

func unpack(message []byte, into any) (body []byte, err error) {
	line, body, found := bytes.Cut(message, []byte("\n"))
	if !found {
		return nil, errors.New("a message without an end of its first line")
	}
	return body, json.Unmarshal(line, into)
}
