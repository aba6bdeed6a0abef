package mcp

import (
	"reflect"
	"strings"
	"testing"
)

const goodTool = `{"name":"list_repositories","description":"Lists every repository the signed-in account may open, with branch and visibility.",` +
	`"inputSchema":{"type":"object","properties":{"q":{"type":"string","description":"words to look for"}}},"annotations":HINTS}`

func scoreGood(t *testing.T, p Profile, hints string, trusted bool) ToolRisk {
	t.Helper()
	tool, err := ReadTool(p, []byte(strings.Replace(goodTool, "HINTS", hints, 1)), ToolContext{TrustedServer: trusted})
	if err != nil {
		t.Fatal(err)
	}
	return ScoreTool(p, tool)
}

func TestToolPoints(t *testing.T) {
	quiet := Tool{Name: "list_items", Description: strings.Repeat("x", 30), HasSchema: true, Coverage: 1, Annotations: Annotations{ReadOnly: True}}
	for _, tc := range []struct {
		name      string
		change    func(*Tool)
		base, doc int
	}{
		{"nothing", func(*Tool) {}, 0, 0},
		{"writes", func(x *Tool) { x.Annotations.ReadOnly = False }, 1, 0},
		{"destructive", func(x *Tool) { x.Annotations.Destructive = True }, 2, 0},
		{"declared harmless", func(x *Tool) { x.Annotations.Destructive = False }, 0, 0},
		{"open world", func(x *Tool) { x.Annotations.OpenWorld = True }, 1, 0},
		{"repeatable, not below 0", func(x *Tool) { x.Annotations.Idempotent = True }, 0, 0},
		{"repeatable write", func(x *Tool) { x.Annotations = Annotations{Idempotent: True} }, 0, 0},
		{"remote write", func(x *Tool) { x.SideEffect = EffectRemoteWrite }, 1, 0},
		{"remote admin", func(x *Tool) { x.SideEffect = EffectRemoteAdmin }, 2, 0},
		{"local", func(x *Tool) { x.SideEffect = EffectLocal }, 0, 0},
		{"user data", func(x *Tool) { x.SendsUserData = true }, 1, 0},
		{"29 characters", func(x *Tool) { x.Description = x.Description[1:] }, 0, 1},
		{"15 characters of two UTF-16 units", func(x *Tool) { x.Description = strings.Repeat("😀", 15) }, 0, 0},
		{"30 characters without a shape", func(x *Tool) { x.Description = strings.Repeat("\u200b", 30) }, 0, 0},
		{"padded to 30", func(x *Tool) { x.Description = "short" + strings.Repeat(" ", 25) }, 0, 0},
		{"no description", func(x *Tool) { x.Description = " \n" }, 0, 2},
		{"boilerplate", func(x *Tool) { x.Description = "Returns the list items of the shop, all of them." }, 0, 1},
		{"the name in a sentence of its own", func(x *Tool) { x.Description = "Fetches list items of the shop, all of them." }, 0, 0},
		{"no schema", func(x *Tool) { x.HasSchema = false }, 0, 2},
		{"half described", func(x *Tool) { x.Coverage = 0.5 }, 0, 0},
		{"less than half described", func(x *Tool) { x.Coverage = 0.49 }, 0, 1},
		{"no annotations", func(x *Tool) { x.Annotations = Annotations{} }, 1, 1},
		{"one gap", func(x *Tool) { x.CuratorGaps = 1 }, 0, 1},
		{"a negative gap", func(x *Tool) { x.CuratorGaps = -5 }, 0, 0},
		{"everything", func(x *Tool) { *x = Tool{CuratorGaps: 1 << 40, SendsUserData: true, SideEffect: EffectRemoteAdmin} }, 4, 3},
		{"everything, but trusted", func(x *Tool) { *x = Tool{TrustedServer: true, CuratorGaps: 3} }, 1, 0},
	} {
		x := quiet
		tc.change(&x)
		got := ScoreTool(Reference, x)
		if got.Axis("base").Points != tc.base || got.Axis("doc").Points != tc.doc || got.Points != tc.base+tc.doc {
			t.Errorf("%s: want %d and %d\n%s", tc.name, tc.base, tc.doc, got.Explain())
		}
		for _, a := range got.Axes {
			if len(a.Drivers) == 0 {
				t.Errorf("%s: the axis %s says nothing", tc.name, a.Name)
			}
		}
	}
}

// What an unvouched server says in its own favour earns nothing; what it says
// against itself raises the level by one. A vouched server earns L1 by saying
// that the tool only reads; its other hints move nothing.
func TestHints(t *testing.T) {
	for _, tc := range []struct {
		hints              string
		untrusted, trusted Level
	}{
		{`{"readOnlyHint":true,"idempotentHint":true}`, L2, L1},
		{`{"readOnlyHint":true}`, L2, L1},
		{`{"readOnlyHint":false,"idempotentHint":true}`, L2, L2},
		{`{"readOnlyHint":true,"openWorldHint":true}`, L2, L1},
		{`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true}`, L3, L2},
		{`{"readOnlyHint":true,"destructiveHint":"yes"}`, L3, L1},
		{`{"readOnlyHint":"true"}`, L2, L2}, // not a boolean: nothing was said
		{`{"destructiveHint":false}`, L2, L2},
		{`{"title":"T"}`, L2, L2},
		{`{}`, L2, L2},
		{`null`, L2, L2},
		{`7`, L2, L2},
	} {
		if got := scoreGood(t, Default, tc.hints, false); got.Level != tc.untrusted {
			t.Errorf("%s, untrusted: %s", tc.hints, got.Explain())
		}
		if got := scoreGood(t, Default, tc.hints, true); got.Level != tc.trusted {
			t.Errorf("%s, trusted: %s", tc.hints, got.Explain())
		}
	}
	absent, false_ := scoreGood(t, Default, `{}`, false), scoreGood(t, Default, `{"readOnlyHint":false}`, false)
	if absent.Axis("doc").Points != 1 || false_.Axis("doc").Points != 0 {
		t.Errorf("absent and false are the same:\n%s%s", absent.Explain(), false_.Explain())
	}
}

func TestReadToolTakesTheWireAsItIs(t *testing.T) {
	for _, tc := range []struct {
		raw  string
		want Tool
	}{
		{`{"name":"t"}`, Tool{Name: "t", Coverage: 1}},
		{`{"Name":"x","name":"t","INPUTSCHEMA":{}}`, Tool{Name: "t", Coverage: 1}},
		{`{"name":"a","name":"t"}`, Tool{Name: "t", Coverage: 1}},
		{`{"name":"t","description":7,"inputSchema":[],"annotations":[]}`, Tool{Name: "t", Coverage: 1, Schema: []byte("[]")}},
		{`{"name":"t","inputSchema":{"properties":{"a":true,"b":{"description":"x"},"c":{"description":" "},"d":{"description":1}}}}`, Tool{Name: "t", HasSchema: true, Coverage: 0.25, Schema: []byte(`{"properties":{"a":true,"b":{"description":"x"},"c":{"description":" "},"d":{"description":1}}}`)}},
		{`{"name":"send_mail"}`, Tool{Name: "send_mail", Coverage: 1}},
		{`{"name":"ssh_exec"}`, Tool{Name: "ssh_exec", Coverage: 1}},
		{`{"name":"t","title":"A","annotations":{"title":"B"}}`, Tool{Name: "t", Title: "A\nB", Coverage: 1}},
	} {
		if got, err := ReadTool(Default, []byte(tc.raw), ToolContext{}); err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %+v, %v", tc.raw, got, err)
		}
	}
	for _, raw := range []string{``, `null`, `[]`, `{}`, `{"name":7}`, `{"name":""}`, `{"name":"t"`} {
		if got, err := ReadTool(Default, []byte(raw), ToolContext{}); err == nil {
			t.Errorf("%s was read as %+v", raw, got)
		}
	}
	live, err := ReadTool(Reference, []byte(strings.Replace(goodTool, "HINTS", `{"readOnlyHint":true}`, 1)), ToolContext{})
	if err != nil || live.HasSchema || live.Annotations != (Annotations{}) {
		t.Errorf("the reference's live path sees neither schema nor annotations: %+v, %v", live, err)
	}
}
