package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	const meta = `"_meta":{"x":[1],"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	type found struct {
		Method, Tool, Arguments, ID, RequestID, Version, Result string
		Answer, Request                                         bool
	}
	for text, want := range map[string][]found{
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`: {{Method: "ping", ID: "1", Request: true}},
		` {"params" : {"arguments" : {"a": 1} , "name":"\u0061dd",` + meta + `},"method":"tools/call","id":"x","jsonrpc":"2.0"} `: {{Method: "tools/call", Tool: "add", Arguments: `{"a": 1}`, ID: `"x"`, Version: "2026-07-28", Request: true}},
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1e3}}`:                                         {{Method: "notifications/cancelled", RequestID: "1e3"}},
		`{"jsonrpc":"2.0","id":7,"result":{"a":[]}}`:                                                                              {{ID: "7", Result: `{"a":[]}`, Answer: true}},
		`{"jsonrpc":"2.0","id":null,"method":"ping","params":[1]}`:                                                                {{ID: "null", Method: "ping"}},
		`{"jsonrpc":"2.0","\u006dethod":"","params":7}`:                                                                           {{}},
		`[{"jsonrpc":"2.0","method":"a"} , {"jsonrpc":"2.0","method":"b","id":2}]`:                                                {{Method: "a"}, {Method: "b", ID: "2", Request: true}},
	} {
		b, err := Parse([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []found
		for i := range b.Messages {
			m := &b.Messages[i]
			got = append(got, found{m.Method, m.Tool, string(m.Arguments), string(m.ID.Raw()), string(m.RequestID.Raw()), m.Version, string(m.Result), m.Answer, m.Request()})
			if !json.Valid(m.Raw) {
				t.Errorf("%s: %s", text, m.Raw)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	message := func(members string) string { return `{"jsonrpc":"2.0",` + members + `}` }
	for text, code := range map[string]int64{
		"":                            ParseError,
		"{":                           ParseError,
		`{}}`:                         ParseError,
		message(`"method":"a"`) + "1": ParseError,
		message(`"method":"a"`) + message(`"method":"b"`):                                                 ParseError,
		message(`"method":"` + "\xff" + `"`):                                                              ParseError,
		message(`"method":"a","params":{"x":"` + "\xed\xa0\x80\"}"):                                       ParseError,
		message(`"method":"a","params":` + strings.Repeat("[", 1e6)):                                      ParseError,
		message(`"method":"a","params":` + strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth)): ParseError,
		`7`:                   InvalidRequest,
		`null`:                InvalidRequest,
		`[]`:                  InvalidRequest,
		`[1]`:                 InvalidRequest,
		`[[]]`:                InvalidRequest,
		`{}`:                  InvalidRequest,
		`{"method":"a"}`:      InvalidRequest,
		`{"jsonrpc":2.0}`:     InvalidRequest,
		`{"jsonrpc":"2.1"}`:   InvalidRequest,
		message(`"method":7`): InvalidRequest,
		message(`"id":[1]`):   InvalidRequest,
		message(`"id":{}`):    InvalidRequest,
		message(`"id":true`):  InvalidRequest,
		message(`"id":"` + strings.Repeat("x", MaxID) + `"`):                                        InvalidRequest,
		message(`"id":1` + strings.Repeat("0", MaxID)):                                              InvalidRequest,
		message(`"id":1,"id":2,"method":"a"`):                                                       InvalidRequest,
		message(`"method":"ping","\u006dethod":"tools/call"`):                                       InvalidRequest,
		message(`"method":"a","params":{},"params":{}`):                                             InvalidRequest,
		message(`"method":"a","params":{"name":"x","name":"y"}`):                                    InvalidRequest,
		message(`"method":"a","params":{"arguments":1,"arguments":2}`):                              InvalidRequest,
		message(`"method":"a","params":{"_meta":{},"_meta":{}}`):                                    InvalidRequest,
		"[" + strings.Repeat(message(`"method":"a"`)+",", MaxBatch) + message(`"method":"a"`) + "]": InvalidRequest,
		message(`"id":[1]`) + "x":                                                                   ParseError, // what is no JSON is nothing else first
	} {
		_, err := Parse([]byte(text))
		problem := (*Problem)(nil)
		if !errors.As(err, &problem) || problem.Code != code {
			t.Errorf("%.80q: %v, want %d", text, err, code)
		}
	}
}

func TestBounded(t *testing.T) {
	for params, ok := range map[string]bool{
		`{"name":"a","arguments":"%s"}`: true,
		`{"name":"%s"}`:                 false,
		`{"_meta":{"x":"%s"}}`:          false,
		`["%s"]`:                        false,
	} {
		for _, of := range []string{`"method":"a","params":`, `"id":1,"result":`} {
			b, err := Parse(fmt.Appendf(nil, `{"jsonrpc":"2.0",`+of+params+`}`, strings.Repeat("x", MaxEnvelope)))
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Bounded(); (err == nil) != (ok && of[1] == 'm') {
				t.Errorf("%s%s: %v", of, params, err)
			}
		}
	}
}

// TestKey against exact arithmetic.
func TestKey(t *testing.T) {
	numbers := []string{"0", "-0", "0.0", "0e9", "1", "1.0", "1e0", "10e-1", "0.1e1", "-1", "1.5", "15e-1", "1.7", "2", "100", "1e2", "1E+2",
		"1e30", "1e31", "-9223372036854775808", "9223372036854775807", "9223372036854775808", "12345678901234567890", "12345678901234567891", "1e-400", "2e-400"}
	for _, a := range numbers {
		for _, b := range numbers {
			x, _ := new(big.Rat).SetString(a)
			y, _ := new(big.Rat).SetString(b)
			if same := ParseID([]byte(a)).Key() == ParseID([]byte(b)).Key(); same != (x.Cmp(y) == 0) {
				t.Errorf("%s and %s: same is %v", a, b, same)
			}
		}
	}
	for _, c := range [][3]string{{`"a"`, `"\u0061"`, "same"}, {`"1"`, `1`, ""}, {`"null"`, `null`, ""}, {`""`, `null`, ""}, {`1e99999999999`, `1e99999999999`, "same"}, {`1e99999999999`, `1e99999999998`, ""}} {
		if same := ParseID([]byte(c[0])).Key() == ParseID([]byte(c[1])).Key(); same != (c[2] != "") {
			t.Errorf("%s and %s: same is %v", c[0], c[1], same)
		}
	}
	for _, none := range []string{"", "{}", "[1]", "true", "1 2", "x"} {
		if id := ParseID([]byte(none)); id.Given() || id.Key() != "" {
			t.Errorf("%s is an id", none)
		}
	}
}

var ids = []string{`1`, `0`, `-7`, `-0`, `1.0`, `1.5`, `1e0`, `1e30`, `-1e30`, `9007199254740993`, `12345678901234567890`, `123456789012345`, `1e99999999999`,
	`"a"`, `"\u0061"`, `"é"`, `"a\"b"`, `"<"`, `"a\u2028"`, `""`, `"glovebox:id:MS41"`, `"glovebox:id"`, `"\ud83d\ude00"`, `"` + strings.Repeat("x", MaxID-2) + `"`}

// sdk is what the SDK makes of an id: Go's values of it, back as JSON.
func sdk(id []byte) string {
	var v any
	if err := json.Unmarshal(id, &v); err != nil {
		return err.Error()
	}
	if f, ok := v.(float64); ok {
		v = int64(f)
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(out.String())
}

// TestIDsComeBackAsTheyWere, through a decoder that reads numbers as float64.
func TestIDsComeBackAsTheyWere(t *testing.T) {
	for _, id := range ids {
		b, err := Parse([]byte(`{"jsonrpc":"2.0","id": ` + id + ` ,"method":"ping"}`))
		if err != nil {
			t.Fatal(err)
		}
		inner, err := Parse(b.Inner(nil))
		if err != nil {
			t.Fatal(err)
		}
		answer := `{"jsonrpc":"2.0","id":` + sdk(inner.Messages[0].ID.Raw()) + `,"result":{"glovebox:id:MS41":{"jsonrpc":"2.0","id":"glovebox:id:MS41"}}}`
		want := `{"jsonrpc":"2.0","id":` + id + `,"result":{"glovebox:id:MS41":{"jsonrpc":"2.0","id":"glovebox:id:MS41"}}}`
		for _, frame := range []string{"%s", "%s\n", "event: message\ndata: %s\n\n", "event: message\nid: 1_2\nretry: 5\ndata: %s\n\n", "[%s,%[1]s]\n"} {
			if got := string(Outer(fmt.Appendf(nil, frame, answer))); got != fmt.Sprintf(frame, want) {
				t.Errorf("%s: %s", id, got)
			}
		}
		for _, stream := range []string{
			`{"jsonrpc":"2.0","method":"notifications/x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`,
			`{"jsonrpc":"2.0","id":%[1]s,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":%[1]s}}}`,
		} {
			if got, want := string(Outer(fmt.Appendf(nil, stream, sdk(inner.Messages[0].ID.Raw())))), fmt.Sprintf(stream, id); len(want) < maxSubscription && got != want {
				t.Errorf("%s: %s", got, want)
			}
		}
	}
	for _, untouched := range []string{"", "\n", "data: ", "[", `["{\"jsonrpc\":\"2.0\",\"id\":\"glovebox:id:MS41`, `{"jsonrpc":"2.0","id":"glovebox:id:`, `{"jsonrpc":"2.0","id":"glovebox:id:!"}`, "event: message\n" + strings.Repeat("x", 500) + "\ndata: {}"} {
		if got := string(Outer([]byte(untouched))); got != untouched {
			t.Errorf("%q became %q", untouched, got)
		}
	}
}

// carried is what the SDK gets for an answer.
func carried(text string) string {
	return `{"_meta":{"glovebox:held":"` + text + `"},"action":"cancel","role":"assistant","model":"","content":{"type":"text","text":""},"roots":[]}`
}

func TestInner(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", maxInPlace) + `"}`
	for text, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"b":1}}}`:          ``,
		`{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"arguments": ` + long + ` ,"name":"a"}}`: `{"jsonrpc":"2.0","id":"glovebox:id:MS41","method":"tools/call","params":{"arguments": {"glovebox:held":"0"} ,"name":"a"}}`,
		`{"params":{"name":"a","arguments":` + long + `},"method":"tools/call","id":1.5,"jsonrpc":"2.0"}`:   `{"params":{"name":"a","arguments":{"glovebox:held":"0"}},"method":"tools/call","id":"glovebox:id:MS41","jsonrpc":"2.0"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","method":"y","params":{"requestId":1.5}}]`: `[{"jsonrpc":"2.0","id":1,"method":"x"},{"jsonrpc":"2.0","method":"y","params":{"requestId":"glovebox:id:MS41"}}]`,
		`{"jsonrpc":"2.0","method":"x","params":{"arguments":{"glovebox:held":"0"}}}`:                       `{"jsonrpc":"2.0","method":"x","params":{"arguments":{"glovebox:held":"0"}}}`,
		`{"jsonrpc":"2.0","result": {"action":"accept"} ,"id":1}`:                                           `{"jsonrpc":"2.0","result": ` + carried("eyJhY3Rpb24iOiJhY2NlcHQifQ==") + ` ,"id":1}`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"inputResponses":{"a":{}}}}`:                        `{"jsonrpc":"2.0","id":1,"method":"x","params":{"inputResponses":{"glovebox:held":` + carried("eyJhIjp7fX0=") + `}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"x","params":{"inputResponses":7}}`:                               ``,
		`{"jsonrpc":"2.0","id":1,"result":[]}`:                                                              ``,
	} {
		b, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		got := b.Inner(func(arguments []byte) string {
			kept = append(kept, string(arguments))
			return fmt.Sprint(len(kept) - 1)
		})
		if want == "" {
			want = text
		}
		if string(got) != want {
			t.Errorf("%s\nwant %s", got, want)
		}
		again, err := Parse(got)
		if err != nil {
			t.Fatal(err)
		}
		for i := range again.Messages {
			if _, ok := Held(again.Messages[i].Arguments); ok != (len(kept) > 0) {
				t.Errorf("%s: held is %v", text, ok)
			}
		}
		if len(kept) > 0 && kept[0] != string(b.Messages[0].Arguments) {
			t.Errorf("kept %s", kept[0])
		}
	}
}

func TestSplice(t *testing.T) {
	b, err := Parse([]byte(` [{"jsonrpc":"2.0","id": 1.5 ,"method":"x","params":{"requestId":2}}]`))
	if err != nil {
		t.Fatal(err)
	}
	m := &b.Messages[0]
	if got := string(m.WithID([]byte(`"y"`))); got != `{"jsonrpc":"2.0","id": "y" ,"method":"x","params":{"requestId":2}}` {
		t.Error(got)
	}
	if got := string(m.WithRequestID([]byte(`"y"`))); got != `{"jsonrpc":"2.0","id": 1.5 ,"method":"x","params":{"requestId":"y"}}` {
		t.Error(got)
	}
	if got := string((&Message{Raw: []byte("{}")}).WithID([]byte(`1`))); got != "{}" {
		t.Error(got)
	}
}

func TestLines(t *testing.T) {
	short, long := strings.Repeat("a", 1000), strings.Repeat("b", 300<<10)
	text := short + "\n\n" + long + "\n" + short + "\r\n" + long + short
	for name, in := range map[string]io.Reader{"whole": strings.NewReader(text), "bytes": iotest.OneByteReader(strings.NewReader(text)), "halves": iotest.HalfReader(strings.NewReader(text))} {
		t.Run(name, func(t *testing.T) {
			lines := NewLines(in, 200<<10)
			asked := 0
			lines.Room = func() error { asked++; return nil }
			var all strings.Builder
			var whole []int
			for {
				line, err := lines.Next()
				if len(line.Text) > 200<<10+maxPlain {
					t.Errorf("%d bytes at once", len(line.Text))
				}
				if all.Write(line.Text); line.Whole() {
					whole = append(whole, len(line.Text))
				}
				if err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
			}
			if all.String() != text {
				t.Error("something is missing")
			}
			if diff := cmp.Diff([]int{1001, 1, 1002}, whole); diff != "" {
				t.Error(diff)
			}
			if asked != 2 {
				t.Errorf("asked %d times", asked)
			}
		})
	}
	full := errors.New("full")
	lines := NewLines(strings.NewReader(text), 200<<10)
	lines.Room = func() error { return full }
	for range 2 {
		if _, err := lines.Next(); err != nil {
			t.Error(err)
		}
	}
	if line, err := lines.Next(); err != full || len(line.Text) > 0 {
		t.Error(err)
	}
}
