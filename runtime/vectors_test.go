package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/netip"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/jsengine"
	"github.com/glovebox-run/glovebox/runtime"
)

// vectorInput is what a row of the areas runtime, globals and parser may set.
type vectorInput struct {
	Code            string              `json:"code"`
	ParamsDeclared  []string            `json:"params_declared"`
	Args            json.RawMessage     `json:"args"`
	StaticVariables []map[string]string `json:"static_variables"`
	Env             map[string]string   `json:"env"`
	NetworkMode     *string             `json:"network_mode"`
	Hosts           []string            `json:"hosts"`
	FileRead        *bool               `json:"file_read"`
	FSBase          *string             `json:"fs_base"` // "<tmp>" is the workspace
}

type vectorExpect struct {
	Result          json.RawMessage `json:"result"`
	ResultText      *string         `json:"result_text"`
	ResultRegex     string          `json:"result_regex"`
	ResultLength    *int            `json:"result_length"`
	ResultUnmasked  json.RawMessage `json:"result_unmasked"`
	Log             json.RawMessage `json:"log"`
	Error           bool            `json:"error"`
	Kind            string          `json:"kind"`
	Reason          string          `json:"reason"`
	MessageContains string          `json:"message_contains"`
	Marker          string          `json:"marker"`
}

func TestVectorsRuntime(t *testing.T) {
	vectors.Run(t, "runtime", checkVector(open(t, runtime.Config{Lookup: os.LookupEnv})))
}

func TestVectorsGlobals(t *testing.T) {
	vectors.Run(t, "globals", checkVector(open(t, runtime.Config{Lookup: os.LookupEnv})))
}

func TestVectorsParser(t *testing.T) {
	vectors.Run(t, "parser", checkVector(open(t, runtime.Config{Lookup: os.LookupEnv})))
}

// vectorTool writes the document that a row describes.
func vectorTool(t *testing.T, in vectorInput, w host.World) []byte {
	t.Helper()
	var args map[string]json.RawMessage
	if in.Args != nil {
		if err := json.Unmarshal(in.Args, &args); err != nil {
			t.Fatal(err)
		}
	}
	var declared []map[string]any
	for _, name := range in.ParamsDeclared {
		kind := "STRING"
		if raw := args[name]; len(raw) > 0 {
			switch raw[0] {
			case '{':
				kind = "OBJECT"
			case '[':
				kind = "ARRAY"
			case 't', 'f':
				kind = "BOOLEAN"
			case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
				kind = "NUMBER"
			}
		}
		declared = append(declared, map[string]any{"name": name, "type": kind, "required": false})
	}
	overrides := map[string]any{}
	if in.NetworkMode != nil {
		overrides["networkMode"] = *in.NetworkMode
	}
	if in.Hosts != nil {
		overrides["hostsAllow"] = in.Hosts
	}
	if in.FileRead != nil {
		overrides["fileRead"] = *in.FileRead
	}
	if in.FSBase != nil {
		overrides["fsBasePath"] = strings.ReplaceAll(*in.FSBase, "<tmp>", w.Workspace.Path())
	}
	return spec(t, "vector", in.Code, map[string]any{"params": declared, "staticVariables": in.StaticVariables, "sandboxOverrides": overrides})
}

func checkVector(rt *runtime.Runtime) func(t *testing.T, in vectorInput, want vectorExpect) {
	return func(t *testing.T, in vectorInput, want vectorExpect) {
		space, err := files.OpenWorkspace(t.TempDir(), files.Quota{})
		if err != nil {
			t.Fatal(err)
		}
		defer space.Close()
		w := host.World{Workspace: space, AllowOpen: true}
		if in.NetworkMode != nil && *in.NetworkMode != "blocked" {
			w.Resolve = func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("no such name") }
			w.Dial = func(context.Context, string, netip.AddrPort) (net.Conn, error) { return nil, errors.New("no route") }
		}
		for name, value := range in.Env {
			t.Setenv(name, value)
		}
		if want.ResultUnmasked != nil {
			// Nothing unmasked gets out, so the tool itself compares.
			in.Code = "const got = await (async () => {" + in.Code + "\n})(); const want = " + string(want.ResultUnmasked) +
				"; return JSON.stringify(got) === JSON.stringify(want);"
			want.Result = json.RawMessage("true")
		}
		tool := load(t, rt, vectorTool(t, in, w))
		call := cleared(tool, string(in.Args))
		call.World = w
		got := tool.Call(t.Context(), call)
		if want.fails() {
			want.checkFailure(t, got)
			return
		}
		if got.Failure != nil {
			t.Fatalf("failed: %v\n%s", got.Failure, got.Failure.Stack)
		}
		want.checkResult(t, tool, got)
	}
}

func (want vectorExpect) fails() bool {
	return want.Error || want.Kind != "" || want.Reason != "" || want.MessageContains != "" || want.Marker != ""
}

var marker = regexp.MustCompile(`^\[([A-Z_]+)\] ([^:]+): (.+)$`)

func (want vectorExpect) checkFailure(t *testing.T, got *runtime.Result) {
	t.Helper()
	f := got.Failure
	if f == nil {
		t.Fatalf("returned %s, want %+v", got.Value, want)
	}
	refusal := f.Refusal
	if refusal == nil {
		refusal = &jsengine.Refusal{}
	}
	if want.Kind != "" && refusal.Kind != want.Kind || want.Reason != "" && refusal.Reason != want.Reason || !strings.Contains(f.Message, want.MessageContains) {
		t.Errorf("failed with %v (%+v), want %+v", f, f.Refusal, want)
	}
	if want.Marker == "" {
		return
	}
	m := marker.FindStringSubmatch(want.Marker)
	if m == nil {
		t.Fatalf("%q is no marker", want.Marker)
	}
	var found []string
	switch f.Kind {
	case jsengine.StatementLimit:
		found = []string{"RESOURCE_LIMIT", "execution", "limit-exceeded"}
	case jsengine.Timeout:
		found = []string{"TIMEOUT", "execution", m[3]} // the number of seconds is free
	case jsengine.Exception:
		found = []string{"JS_ERROR", "user-code", f.Name}
	}
	if f.Refusal != nil {
		found = []string{refusal.Kind, refusal.Helper, refusal.Reason}
		if !strings.Contains(f.Message, want.Marker) {
			t.Errorf("the message %q is without its marker %q", f.Message, want.Marker)
		}
	}
	if !reflect.DeepEqual(found, m[1:]) {
		t.Errorf("failed with %v %v, want %s", f, found, want.Marker)
	}
}

func (want vectorExpect) checkResult(t *testing.T, tool *runtime.Tool, got *runtime.Result) {
	t.Helper()
	if want.Result != nil && !sameJSON(t, got.Value, want.Result) {
		t.Errorf("got %s, want %s", got.Value, want.Result)
	}
	if want.ResultText != nil && tool.Text(got) != *want.ResultText {
		t.Errorf("a model reads %q, want %q", tool.Text(got), *want.ResultText)
	}
	text := string(got.Value)
	length := func(list []any) int { return len(list) }
	var list []any
	if json.Unmarshal(got.Value, &text) == nil {
		length = func([]any) int { return utf8.RuneCountInString(text) }
	} else if want.ResultLength != nil {
		if err := json.Unmarshal(got.Value, &list); err != nil {
			t.Fatalf("%s has no length", got.Value)
		}
	}
	if want.ResultLength != nil && length(list) != *want.ResultLength {
		t.Errorf("%s is %d long, want %d", got.Value, length(list), *want.ResultLength)
	}
	if want.ResultRegex != "" && !regexp.MustCompile(want.ResultRegex).MatchString(text) {
		t.Errorf("%q does not match %s", text, want.ResultRegex)
	}
	if want.Log != nil {
		want.checkLog(t, got.Logs)
	}
}

// checkLog compares a console with a text or a list of lines, each of which may
// have its level in front.
func (want vectorExpect) checkLog(t *testing.T, logs []jsengine.Line) {
	t.Helper()
	var bare, labelled []string
	for _, l := range logs {
		bare = append(bare, l.Text)
		labelled = append(labelled, "["+strings.ToUpper(l.Level)+"] "+l.Text)
	}
	var lines []string
	var text string
	if json.Unmarshal(want.Log, &text) == nil {
		lines = strings.Split(text, "\n")
	} else if err := json.Unmarshal(want.Log, &lines); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(lines, bare) && !reflect.DeepEqual(lines, labelled) {
		t.Errorf("printed %q, want %q", bare, lines)
	}
}

func sameJSON(t *testing.T, x, y []byte) bool {
	t.Helper()
	if len(x) == 0 {
		x = []byte("null")
	}
	var a, b any
	if err := errors.Join(json.Unmarshal(x, &a), json.Unmarshal(y, &b)); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(a, b)
}
