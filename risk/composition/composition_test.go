package composition

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/fingerprint"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

func member(alias string, level mcp.Level) Member {
	return Member{Server: "s-" + alias, Tool: "t_" + alias, Alias: alias, Description: "Does " + alias + ".", Level: level, Status: fingerprint.Active}
}

func set(id string, members ...Member) Composition {
	c := New(id, id)
	c.Members = members
	return c
}

func TestNewCompositionsAreCappedAndOff(t *testing.T) {
	if c := New("c", "C"); c.Cap != mcp.L3 || c.Enabled || c.Level(mcp.Default) != mcp.L0 {
		t.Errorf("%+v", c)
	}
}

func TestEnable(t *testing.T) {
	enabled := set("other", member("dup", mcp.L1))
	enabled.Enabled = true
	disabled := enabled
	disabled.Enabled = false
	edit := func(m Member, change func(*Member)) Member { change(&m); return m }
	for _, tc := range []struct {
		name                string
		c                   Composition
		others              []Composition
		default_, reference []string
		message             string
	}{
		{"nothing in it", set("c"), nil, []string{CodeEmpty}, []string{CodeEmpty}, "without members"},
		{"at the cap", set("c", member("a", mcp.L3)), nil, nil, nil, ""},
		{"above the cap", set("c", member("a", mcp.L5)), nil, []string{CodeAboveCap}, []string{CodeAboveCap}, "exceeding"},
		{"no cap", Composition{ID: "c", Members: []Member{member("a", mcp.L1)}}, nil, []string{CodeAboveCap}, []string{CodeAboveCap}, "exceeding"},
		{"unrated", set("c", member("a", mcp.Unrated)), nil, []string{CodeUnrated}, nil, ""},
		{"an alias that is taken", set("c", member("dup", mcp.L1)), []Composition{enabled}, []string{CodeShadowing}, []string{CodeShadowing}, "shadowing rule violations: R1"},
		{"an alias of a disabled one", set("c", member("dup", mcp.L1)), []Composition{disabled}, nil, nil, ""},
		{"itself, enabled before", enabled, []Composition{enabled}, nil, nil, ""},
		{"an alias that looks taken", set("c", member("Dup", mcp.L1)), []Composition{enabled}, []string{CodeShadowing}, nil, "R4"},
		{"changed since it was accepted", set("c", edit(member("a", mcp.L1), func(m *Member) { m.Status = fingerprint.AwaitingRereview })), nil, []string{CodeWithheld}, nil, "AWAITING_REREVIEW"},
		{"a text that reads like an attack", set("c", edit(member("a", mcp.L1), func(m *Member) { m.Flagged = true })), nil, []string{CodeFlagged}, nil, "attack"},
		{"a space in the alias", set("c", member("a b", mcp.L1)), nil, []string{CodeAlias}, nil, "no alias"},
		{"a very long alias", set("c", member(strings.Repeat("a", 65), mcp.L1)), nil, []string{CodeAlias}, nil, ""},
		{"an order to another server's tool", set("c", member("a", mcp.L1), edit(member("b", mcp.L1), func(m *Member) { m.Description = "Then call t_a." })), nil, []string{CodeShadowing}, []string{CodeShadowing}, "R2"},
		{"an order that an override hides", set("c", member("a", mcp.L1), edit(member("b", mcp.L1), func(m *Member) { m.Description, m.Override = "Then call t_a.", "Nice." })), nil, nil, nil, ""},
		{"an order that an override brings", set("c", member("a", mcp.L1), edit(member("b", mcp.L1), func(m *Member) { m.Override = "Then call t_a." })), nil, []string{CodeShadowing}, []string{CodeShadowing}, "R2"},
		{"everything at once", set("c", edit(member("a b", mcp.L5), func(m *Member) { m.Status = fingerprint.Revoked })), nil, []string{CodeAboveCap, CodeWithheld, CodeAlias}, []string{CodeAboveCap}, ""},
	} {
		for p, want := range map[mcp.Profile][]string{mcp.Default: tc.default_, mcp.Reference: tc.reference} {
			got, refusals := Enable(p, tc.c, tc.others)
			var codes []string
			var text string
			for _, r := range refusals {
				codes = append(codes, r.Code)
				text += r.Message
			}
			if !slices.Equal(codes, want) || got.Enabled != (want == nil || tc.c.Enabled) {
				t.Errorf("%s, %v: %v, want %v", tc.name, p, refusals, want)
			}
			if want != nil && !strings.Contains(text, tc.message) {
				t.Errorf("%s, %v: %q does not say %q", tc.name, p, text, tc.message)
			}
		}
	}
}

func TestAdviceDoesNotRefuse(t *testing.T) {
	const text = "Searches all issues of a repository and returns title, state, labels and who opened each of them."
	a, b := member("a", mcp.L1), member("b", mcp.L1)
	a.Description, b.Description = text, text
	c := set("c", a, b)
	if _, refusals := Enable(mcp.Default, c, nil); refusals != nil {
		t.Errorf("refused: %v", refusals)
	}
	if advice := Advice(mcp.Default, c); len(advice) != 2 {
		t.Errorf("advice: %v", advice)
	}
}

func TestDefaultAlias(t *testing.T) {
	for _, tc := range []struct{ server, tool, default_, reference string }{
		{"github", "list_repos", "github__list_repos", "github__list_repos"},
		{"My Server!", "a.b", "my_server__a_b", "my_server__a.b"},
		{"", "t", "unknown__t", "unknown__t"},
		{"___", "t", "unknown__t", "unknown__t"},
		{"한국", "t", "unknown__t", "unknown__t"},
		{"Kakao-PlayMCP", "x", "kakao_playmcp__x", "kakao_playmcp__x"},
	} {
		if got := DefaultAlias(mcp.Default, tc.server, tc.tool); got != tc.default_ {
			t.Errorf("%q, %q: default %q", tc.server, tc.tool, got)
		}
		if got := DefaultAlias(mcp.Reference, tc.server, tc.tool); got != tc.reference {
			t.Errorf("%q, %q: reference %q", tc.server, tc.tool, got)
		}
	}
	long := strings.Repeat("x", 200)
	a, b := DefaultAlias(mcp.Default, "s", long+"a"), DefaultAlias(mcp.Default, "s", long+"b")
	if a == b || len(a) != maxAlias || !ValidAlias(a) {
		t.Errorf("long names: %q and %q", a, b)
	}
}

func TestWrapKeepsEverythingElse(t *testing.T) {
	upstream := `{"name":"evil","title":"T <b>","description":"upstream","inputSchema":{"type":"object","properties":{"z":{},"a":{"default":1.50}}},"execution":{"taskSupport":"required"},"name":"real"}`
	m := member("srv__t", mcp.L1)
	got, err := Wrap(m, []byte(upstream))
	want := `{"description":"upstream","execution":{"taskSupport":"required"},"inputSchema":{"type":"object","properties":{"z":{},"a":{"default":1.50}}},"name":"srv__t","title":"T <b>"}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
	m.Override = "ours"
	got, _ = Wrap(m, []byte(upstream))
	var fields map[string]any
	if err := json.Unmarshal(got, &fields); err != nil || fields["description"] != "ours" {
		t.Errorf("%s, %v", got, err)
	}
	m.Override = " \n"
	if got, _ = Wrap(m, []byte(upstream)); string(got) != want {
		t.Errorf("a blank override changed something: %s", got)
	}
	for _, bad := range []string{"", "null", "[]", "{\"a\":\"\xff\"}"} {
		if got, err := Wrap(m, []byte(bad)); err == nil {
			t.Errorf("%q became %s", bad, got)
		}
	}
}

func FuzzWrap(f *testing.F) {
	f.Add([]byte(`{"name":"a","name":"b","description":null}`), "x__y", "new")
	f.Add([]byte(`{"na\u006de":"a"}`), "\xff", "")
	f.Fuzz(func(t *testing.T, upstream []byte, alias, override string) {
		got, err := Wrap(Member{Alias: alias, Override: override}, upstream)
		if err != nil {
			return
		}
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(got, &fields); err != nil || strings.Count(string(got), `"name":`) < 1 || string(fields["name"]) != string(quoted(alias)) {
			t.Fatalf("%q became %q, %v", upstream, got, err)
		}
	})
}

func FuzzDefaultAlias(f *testing.F) {
	f.Add("server", "tool")
	f.Add("é-", strings.Repeat("\xff", 300))
	f.Fuzz(func(t *testing.T, server, tool string) {
		if alias := DefaultAlias(mcp.Default, server, tool); !ValidAlias(alias) {
			t.Fatalf("%q, %q: %q", server, tool, alias)
		}
	})
}
