package main

import (
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// hooked reads what an agent host tells a hook that runs after one of its own tools, a
// JSON object with tool_name and tool_response: the name, and every text of the response.
func hooked(event []byte) (source, text string, err error) {
	if !gjson.ValidBytes(event) {
		return "", "", errors.New("standard input is not the JSON of a hook")
	}
	source = gjson.GetBytes(event, "tool_name").Str
	response := gjson.GetBytes(event, "tool_response")
	if source == "" || !response.Exists() {
		return "", "", errors.New("standard input has no tool_name or no tool_response: put the hook behind the tool (PostToolUse)")
	}
	var b strings.Builder
	var write func(gjson.Result)
	write = func(v gjson.Result) {
		if v.IsObject() || v.IsArray() {
			v.ForEach(func(_, inner gjson.Result) bool { write(inner); return true })
			return
		}
		b.WriteString(v.String() + "\n")
	}
	write(response)
	return source, b.String(), nil
}
