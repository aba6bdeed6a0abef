package eras

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/catalog/nesting"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// ErrAnswer means an answer of a client that is none to what it was asked.
var ErrAnswer = errors.New("the client's answer is none to what it was asked")

// Answer checks the answer of a client to a request of another server, which gets it as
// it was written, with members that nobody here knows. Every reader has to understand it
// alike, and it has to be of the request's kind.
func Answer(method string, text []byte) error {
	if nesting.Beyond(text, governed.MaxDepth) >= 0 || !jsontext.Value(text).IsValid() {
		return ErrAnswer
	}
	fits := false
	switch method {
	case "elicitation/create":
		content := gjson.GetBytes(text, "content")
		fits = slices.Contains([]string{"accept", "decline", "cancel"}, gjson.GetBytes(text, "action").Str) && (!content.Exists() || content.Type == gjson.Null || content.IsObject())
	case "sampling/createMessage":
		content := gjson.GetBytes(text, "content")
		fits = gjson.GetBytes(text, "role").Type == gjson.String && (content.IsObject() || content.IsArray())
	case "roots/list":
		fits = gjson.GetBytes(text, "roots").IsArray()
	}
	if !fits {
		return ErrAnswer
	}
	return nil
}
