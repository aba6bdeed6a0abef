package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzParse compares with encoding/json, which is another reader: what is accepted
// is JSON in UTF-8, its members are the ones that the other one finds, and what goes
// in and comes back is the same.
func FuzzParse(f *testing.F) {
	for _, id := range ids {
		f.Add([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"a","arguments":{"b":[1,"\u00e9"]},"requestId":` + id + `}}`))
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result" : {"resultType":"input_required","resultType2":1} ,"x":{}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-1},"params": : [1] }`))
	f.Add([]byte(`[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":{}}]`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"a","params":{"arguments":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"a","method":"b"}`))
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := Parse(text)
		if err != nil {
			return
		}
		if !json.Valid(text) || !utf8.Valid(text) {
			t.Fatal("it is no JSON")
		}
		var theirs []json.RawMessage
		if !b.Batch {
			theirs = append(theirs, text)
		} else if err := json.Unmarshal(text, &theirs); err != nil {
			t.Fatal(err)
		}
		if len(theirs) != len(b.Messages) || len(theirs) > MaxBatch {
			t.Fatalf("%d messages, want %d", len(b.Messages), len(theirs))
		}
		kept := map[string][]byte{}
		sent := b.Inner(func(arguments []byte) string {
			name := fmt.Sprint(len(kept))
			kept[name] = arguments
			return name
		})
		// The SDK reads it next, and not Parse: a wrapped id may be longer than MaxID.
		inner := theirs[:0:0]
		if !b.Batch {
			inner = append(inner, sent)
		} else if err := json.Unmarshal(sent, &inner); err != nil {
			t.Fatalf("%s became %s: %v", text, sent, err)
		}
		for i := range b.Messages {
			m := &b.Messages[i]
			compare(t, m, theirs[i])
			var to, params map[string]json.RawMessage // maps, since names of struct fields match in any case
			if err := json.Unmarshal(inner[i], &to); err != nil {
				t.Fatalf("%s became %s: %v", text, sent, err)
			}
			json.Unmarshal(to["params"], &params) // it may be no object
			if m.ID.Given() {
				out := Outer([]byte(`{"jsonrpc":"2.0","id":` + sdk(to["id"]) + `,"result":{}}`))
				if want := `{"jsonrpc":"2.0","id":` + string(m.ID.Raw()) + `,"result":{}}`; string(out) != want {
					t.Errorf("%s, want %s", out, want)
				}
			}
			got := []byte(params["arguments"])
			if name, ok := Held(got); ok {
				got = kept[name]
			}
			if !bytes.Equal(got, m.Arguments) {
				t.Errorf("%s became %s", m.Arguments, got)
			}
		}
	})
}

func compare(t *testing.T, m *Message, text []byte) {
	var theirs map[string]json.RawMessage
	if err := json.Unmarshal(text, &theirs); err != nil {
		t.Fatal(err)
	}
	if m.ID.raw != nil && !bytes.Equal(m.ID.raw, theirs["id"]) {
		t.Errorf("id %s, want %s", m.ID.raw, theirs["id"])
	}
	if !bytes.Equal(m.Result, theirs["result"]) {
		t.Errorf("result %s, want %s", m.Result, theirs["result"])
	}
	if !bytes.Equal(m.Params, theirs["params"]) {
		t.Errorf("params %s, want %s", m.Params, theirs["params"])
	}
	if !bytes.Equal(m.Error, theirs["error"]) {
		t.Errorf("error %s, want %s", m.Error, theirs["error"])
	}
	var result map[string]json.RawMessage
	if err := json.Unmarshal(theirs["result"], &result); err == nil {
		var kind string
		if err := json.Unmarshal(result["resultType"], &kind); err == nil && kind != m.ResultType {
			t.Errorf("result type %q, want %q", m.ResultType, kind)
		}
	}
	var method string
	if err := json.Unmarshal(theirs["method"], &method); err == nil && (method != m.Method || m.Answer) {
		t.Errorf("method %q, want %q", m.Method, method)
	}
	var params map[string]json.RawMessage
	if err := json.Unmarshal(theirs["params"], &params); err == nil && !bytes.Equal(params["arguments"], m.Arguments) {
		t.Errorf("arguments %s, want %s", m.Arguments, params["arguments"])
	}
}

// FuzzOuter: what the SDK writes stays as it is but for ids, and nothing panics.
func FuzzOuter(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":"glovebox:id:MS41","result":{}}`))
	f.Add([]byte("event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":\"glovebox:id:MS41\"}\n\n"))
	f.Add([]byte(`[{"jsonrpc":"2.0","id":"glovebox:id:MS41"},{}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := Outer(bytes.Clone(text)); !bytes.Contains(text, []byte(escaped)) && !bytes.Equal(got, text) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
