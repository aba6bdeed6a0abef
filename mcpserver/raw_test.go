package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"
)

// What raw writes means what encoding/json says of the same result, and is one line.
func TestAResultIsWrittenAsJSON(t *testing.T) {
	for _, r := range []toolResult{
		{},
		{Text: "undefined", IsError: true},
		{Meta: json.RawMessage(`{"a":{"b":"<c>"}}`), Text: "\x00\x1f\"\\/\b\f\n\r\t\u2028é😀\x7f<&>", ResultType: "complete", StructuredContent: json.RawMessage(`{"a":1,"a":[2,"\ud800"]}`)},
		{Text: "half a character \xc3 and a wrong one \xff", StructuredContent: json.RawMessage("{\r\n \"a\" : [ 1,\n2 ] }")},
		{Text: strings.Repeat(`{"quoted":"\n"}`, 5000)},
	} {
		type content struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		reference, err := json.Marshal(struct {
			Meta              json.RawMessage `json:"_meta,omitempty"`
			Content           []content       `json:"content"`
			StructuredContent json.RawMessage `json:"structuredContent,omitempty"`
			IsError           bool            `json:"isError,omitempty"`
			ResultType        string          `json:"resultType,omitempty"`
		}{r.Meta, []content{{"text", r.Text}}, r.StructuredContent, r.IsError, r.ResultType})
		if err != nil {
			t.Fatal(err)
		}
		result, err := r.raw()
		if err != nil {
			t.Fatal(err)
		}
		text, err := textOf(result)
		if err != nil || strings.ContainsAny(string(text), "\r\n") {
			t.Errorf("%q, %v", text, err)
		}
		if got, want := again(t, text), again(t, reference); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
	for _, broken := range []string{`{"a":1`, `{} {}`, `nul`, "\"\x01\""} {
		r := toolResult{StructuredContent: json.RawMessage(broken)}
		if result, err := r.raw(); err == nil {
			t.Errorf("%s was written: %v", broken, result)
		}
	}
}

// again decodes and encodes a text.
func again(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
