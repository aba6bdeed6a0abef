package telemetry

import (
	"context"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// wrapped is a tool that says which server it is of.
type wrapped struct{ of Upstream }

func (w wrapped) About() *governed.About { return &governed.About{Name: w.of.Alias} }
func (w wrapped) Check(arguments []byte) (json.RawMessage, catalog.Problems) {
	return arguments, nil
}
func (w wrapped) Run(context.Context, *governed.Permit) governed.Output { return governed.Output{} }
func (w wrapped) Telemetry() Upstream                                   { return w.of }

// TestAToolSaysWhereItComesFrom: what is reported about it is what it says.
func TestAToolSaysWhereItComesFrom(t *testing.T) {
	seen, err := Open(t.Context(), Config{}, "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer seen.Close(t.Context())
	of := Upstream{Alias: "find", Server: "notes", Tool: "find_pages", Transport: "stdio", CompositionID: "desk", OfServer: mcp.L2, OfTool: mcp.L3, Final: mcp.L4, FloorTrigger: "x"}
	got, want := seen.Tool(wrapped{of}), seen.Upstream(of)
	if !reflect.DeepEqual(got.attrs, want.attrs) || !reflect.DeepEqual(got.line, want.line) || len(got.attrs) < 12 {
		t.Errorf("%v\n%v", got.attrs, want.attrs)
	}
}

// TestTheTraceOfACall: the record gets the id of the call's span, or without spans the one
// that the request names.
func TestTheTraceOfACall(t *testing.T) {
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	plain, err := Open(t.Context(), Config{}, "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for meta, want := range map[string]string{"00-" + id + "-00f067aa0ba902b7-01": id, "": "", "nonsense": "", "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01": ""} {
		c := plain.Upstream(Upstream{Alias: "t"}).Begin("x", Origin{Meta: map[string]any{traceparent: meta}})
		if got := c.Trace(); got != want {
			t.Errorf("%q has the trace %q, want %q", meta, got, want)
		}
		c.End()
	}
}
