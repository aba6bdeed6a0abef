package mcp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/risk"
)

func TestHostClassOfOddSpellings(t *testing.T) {
	for _, tc := range []struct {
		url  string
		want HostClass
	}{
		{"http://127.0.0.2/", Loopback},
		{"http://127.255.255.255/", Loopback},
		{"http://127.1/", Loopback},
		{"http://2130706433/", Loopback},
		{"http://0x7f.1/", Loopback},
		{"http://0X7F000001/", Loopback},
		{"http://0177.0.0.1/", Loopback},
		{"http://127.0.0.1./", Loopback},
		{"http://localhost./", Loopback},
		{"http://api.LOCALHOST:80/", Loopback},
		{"http://[::ffff:127.0.0.1]/", Loopback},
		{"http://[::ffff:7f00:1]/", Loopback},
		{"http://[::127.0.0.1]/", Loopback},
		{"http://[64:ff9b::127.0.0.1]/", Loopback},
		{"http://１２７。０。０。１/", Loopback},
		{"http://[0:0:0:0:0:0:0:1]/", Loopback},
		{"http://100.64.0.1/", PrivateLAN},
		{"http://[::ffff:10.0.0.1]/", PrivateLAN},
		{"http://[2002:0a00:0001::1]/", PrivateLAN},
		{"http://[fe80::1%25eth0]/", PrivateLAN},
		{"http://[fd12:3456::1]/", PrivateLAN},
		{"http://0.0.0.0:8282/", PrivateLAN},
		{"http://[::]/", PrivateLAN},
		{"http://10.1/", PrivateLAN},
		{"http://198.19.255.255/", PrivateLAN},
		{"http://[fec0::1]/", PrivateLAN},
		{"http://router.lan/", PrivateLAN},
		{"http://pi.home.arpa./", PrivateLAN},
		{"http://wiki.intranet/", PrivateLAN},
		{"http://git.corp/", PrivateLAN},
		{"http://tv.home/", PrivateLAN},
		{"http://printer/", PrivateLAN},
		{"http://nas.local/", PrivateLAN},
		{"http://metadata.google.internal/", PrivateLAN},
		{"http://10.999.1.1/", Public},
		{"http://127.0.0.1@evil.example/", Public},
		{"http://127.0.0.1.evil.example/", Public},
		{"http://localhost.evil.example/", Public},
		{"http://256.0.0.1/", Public},
		{"http://100.128.0.1/", Public},
		{"http://[2001:db8::1]/", Public},
		{"127.0.0.1:8080/mcp", Public},
		{"", Public},
		{"http://", Public},
		{"http://xn--" + strings.Repeat("a", 1<<20) + "/", Public},
		{"http://" + strings.Repeat("a.", 200) + "local/", Public},
		{"http://evil.example\\@127.0.0.1/", Public}, // clients disagree about the backslash
	} {
		if got := ClassifyHost(Default, StreamableHTTP, tc.url); got != tc.want {
			t.Errorf("%.80s: got %v, want %v", tc.url, got, tc.want)
		}
	}
}

// What the reference makes of the same spellings, its mistakes included.
func TestHostClassOfTheReference(t *testing.T) {
	for _, tc := range []struct {
		url  string
		want HostClass
	}{
		{"http://127.0.0.2/", Public},
		{"http://[::ffff:127.0.0.1]/", Public},
		{"http://100.64.0.1/", Public},
		{"http://nas.local/", Public},
		{"http://172.32.0.1/", Public},
		{"http://10.999.1.1/", PrivateLAN},
		{"http://[fd12::1]/", PrivateLAN},
		{"http://[febf::1]/", PrivateLAN},
		{"http://fcbarcelona.example/", Public},
		{" HTTP://api.LocalHost:80/ ", Loopback},
		{"http://user@127.0.0.1:port/mcp", Loopback}, // no URL, but it has a host to it
		{"http://[::1]:port/", Loopback},
		{"http://10.0.0.1 /", PrivateLAN},
		{"localhost:8080/mcp", Public},
	} {
		if got := ClassifyHost(Reference, StreamableHTTP, tc.url); got != tc.want {
			t.Errorf("%.80s: got %v, want %v", tc.url, got, tc.want)
		}
	}
}

// The standard library is the oracle for every address written the plain way.
func TestHostClassAgreesWithNetip(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		var b [4]byte
		for i := range b {
			b[i] = []byte{10, 127, 169, 254, 172, 16, 31, 192, 168, 100, 64, byte(random.IntN(256))}[random.IntN(12)]
		}
		addr := netip.AddrFrom4(b)
		got := ClassifyHost(Default, SSE, "http://"+addr.String()+"/")
		mapped := ClassifyHost(Default, SSE, "http://["+netip.AddrFrom16(addr.As16()).String()+"]/")
		number := ClassifyHost(Default, SSE, fmt.Sprintf("http://%d/", uint32(b[0])<<24|uint32(b[1])<<16|uint32(b[2])<<8|uint32(b[3])))
		if got != mapped || got != number {
			t.Fatalf("%v: %v, mapped %v, as a number %v", addr, got, mapped, number)
		}
		if (got == Loopback) != addr.IsLoopback() {
			t.Fatalf("%v: got %v", addr, got)
		}
		if (addr.IsPrivate() || addr.IsLinkLocalUnicast()) && got != PrivateLAN {
			t.Fatalf("%v: got %v", addr, got)
		}
	}
}

func TestPrivilegedScopes(t *testing.T) {
	for _, tc := range []struct {
		scope               string
		default_, reference bool
	}{
		{"admin", true, true},
		{"https://www.googleapis.com/auth/sqlservice.admin", true, true},
		{"Files.ReadWrite.All", true, true},
		{"delete_repo", true, true},
		{"write_all", true, true},
		{"delete:packages", true, false},
		{"repo:delete", true, false},
		{"write:all", true, false},
		{"all", true, false},
		{"*", true, false},
		{"mail:*", true, false},
		{"Sites.FullControl", true, false},
		{"full_access", true, false},
		{"аdmin", true, false}, // the first letter is Cyrillic
		{"calendar.allowed", false, true},
		{"badminton.read", false, true},
		{"undelete_item", false, true},
		{"repo", false, false},
		{"read:org", false, false},
		{"offline_access", false, false},
		{"rootcause.read", false, false},
		{"", false, false},
	} {
		if got := privilegedScope(Default, tc.scope) != ""; got != tc.default_ {
			t.Errorf("%q: default says %v", tc.scope, got)
		}
		if got := privilegedScope(Reference, tc.scope) != ""; got != tc.reference {
			t.Errorf("%q: reference says %v", tc.scope, got)
		}
	}
}

func TestIrreversibleVerbs(t *testing.T) {
	for _, tc := range []struct {
		name                          string
		untrusted, trusted, reference bool
	}{
		{"delete_file", true, true, true},
		{"deleteFile", true, true, false},
		{"DeleteFile", true, true, false},
		{"github_delete_repo", true, true, false},
		{"repo.delete", true, true, false},
		{"deletefile", true, true, false},
		{"dеlete_file", true, true, false}, // a Cyrillic е
		{"d\u200belete_file", true, true, false},
		{"find_and_delete", true, true, false},
		{"bulkRemoveUsers", true, true, false},
		{"HTTPDeleteObject", true, true, false},
		{"db_drop_table", true, true, false},
		{"format_disk", true, true, false},
		{"empty_trash", true, true, false},
		{"force-push-branch", true, true, true},
		{"forcePush", true, true, true},
		{"get_delete_status", true, false, false},
		{"list_remove_requests", true, false, false},
		{"drop_zone", true, true, true},
		{"price_drop_alerts", false, false, false},
		{"dropdown_list", false, false, false},
		{"list_deleted_items", false, false, false},
		{"undelete_file", false, false, false},
		{"create_droplet", false, false, false},
		{"format_text", false, false, false},
		{"reset_password", false, false, false},
		{"armor", false, false, false},
		{"", false, false, false},
	} {
		if got := irreversibleVerb(Default, tc.name, false) != ""; got != tc.untrusted {
			t.Errorf("%q of an untrusted server: %v", tc.name, got)
		}
		if got := irreversibleVerb(Default, tc.name, true) != ""; got != tc.trusted {
			t.Errorf("%q of a trusted server: %v", tc.name, got)
		}
		if got := irreversibleVerb(Reference, tc.name, false) != ""; got != tc.reference {
			t.Errorf("%q in the reference: %v", tc.name, got)
		}
	}
}

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

// Annotations of a server that nobody vouches for can only speak against it.
func TestAnnotationsCountBothWaysOnlyWhenTrusted(t *testing.T) {
	for _, tc := range []struct {
		hints              string
		untrusted, trusted Level
	}{
		{`{"readOnlyHint":true,"idempotentHint":true}`, L2, L1},
		{`{"readOnlyHint":true}`, L2, L1},
		{`{"readOnlyHint":false,"idempotentHint":true}`, L2, L1},
		{`{"readOnlyHint":true,"openWorldHint":true}`, L3, L2},
		{`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true}`, L5, L3},
		{`{"readOnlyHint":true,"destructiveHint":"yes"}`, L5, L5},
		{`{"readOnlyHint":"true"}`, L3, L2}, // not a boolean: nothing was said
		{`{"title":"T"}`, L3, L2},
		{`{}`, L3, L2},
		{`null`, L3, L2},
		{`7`, L3, L2},
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
		{`{"name":"t","description":7,"inputSchema":[],"annotations":[]}`, Tool{Name: "t", Coverage: 1}},
		{`{"name":"t","inputSchema":{"properties":{"a":true,"b":{"description":"x"},"c":{"description":" "},"d":{"description":1}}}}`, Tool{Name: "t", HasSchema: true, Coverage: 0.25}},
		{`{"name":"send_mail"}`, Tool{Name: "send_mail", Coverage: 1, SideEffect: EffectRemoteWrite}},
		{`{"name":"ssh_exec"}`, Tool{Name: "ssh_exec", Coverage: 1, SideEffect: EffectRemoteAdmin}},
		{`{"name":"list_orders"}`, Tool{Name: "list_orders", Coverage: 1}},
	} {
		if got, err := ReadTool(Default, []byte(tc.raw), ToolContext{}); err != nil || got != tc.want {
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

func TestFloorsNeverLower(t *testing.T) {
	undocumented := Tool{Name: "x", Coverage: math.NaN(), SendsUserData: true, SideEffect: EffectRemoteAdmin}
	if got := ScoreTool(Reference, undocumented); got.Level != L4 || got.Points < 4 {
		t.Errorf("the reference puts the level of an undocumented tool at L4: %s", got.Explain())
	}
	if got := ScoreTool(Default, undocumented); got.Level != L5 {
		t.Errorf("a floor lowered the level: %s", got.Explain())
	}
	server := ServerRisk{Score: Score{Level: L3, Points: 2}}
	tool := ToolRisk{Score{Level: L4, Points: 3, Floor: Floor{ID: FloorUndocumented, Level: L4}}}
	if got := Compose(Reference, server, tool); got.Level != L4 || got.Trigger.ID != FloorUndocumented {
		t.Errorf("reference: %v", got)
	}
	if got := Compose(Default, server, tool); got.Level != L5 {
		t.Errorf("default: %v", got)
	}
}

func TestUnratedIsNotSafe(t *testing.T) {
	if got := UnknownServer(Default); got.Within(L5) {
		t.Errorf("an unknown server passes as %v", got)
	}
	if got := Compose(Default, ServerRisk{}, ToolRisk{Score{Level: L1}}); got.Level.Within(L5) {
		t.Errorf("a tool of an unrated server passes as %v", got.Level)
	}
	if got := Aggregate(Default, []Level{L1, Unrated}); got.Within(L5) {
		t.Errorf("a composition with an unrated member passes as %v", got)
	}
	if got := Aggregate(Default, nil); got != L0 {
		t.Errorf("an empty composition is %v", got)
	}
	inherent, effective := BuiltInTool(Default, risk.Unrated, true, true)
	if inherent != Unrated || effective != Unrated {
		t.Errorf("a tool that nobody rated is %v, %v", inherent, effective)
	}
	if got := ScoreServer(Default, Server{}); got.Level != L5 || got.Floor.ID != FloorNoAuthUnknown {
		t.Errorf("the zero server: %s", got.Explain())
	}
	if got := Mitigate(Default, L0, true); got != L0 {
		t.Errorf("approval raised L0 to %v", got)
	}
	if _, effective := BuiltInTool(Default, risk.L4, true, false); effective != L4 {
		t.Errorf("credit for approval although the scan was not clean: %v", effective)
	}
}

// Values off the scale come from a caller's mistake and must not be read as safe.
func TestValuesOffTheScale(t *testing.T) {
	s := ScoreServer(Default, Server{Transport: Transport(99), URL: "https://x.example/", Auth: Auth(len(authPoints)), Origin: Origin(99), Docs: 0xFF})
	if s.Axis("auth").Points != 2 || s.Axis("trust").Points != 2 || s.Host != Public {
		t.Error(s.Explain())
	}
	if text := Transport(99).String() + Auth(99).String() + HostClass(99).String() + SideEffect(99).String() + Profile(99).String(); text != "unknownnonepublicunknowndefault" {
		t.Error(text)
	}
}

func TestEveryDocGapCountsOnce(t *testing.T) {
	why := map[string]bool{}
	for _, gap := range []DocGaps{NoDocsURL, DocsInadequate, UnusedFor90Days} {
		axis := ScoreServer(Default, Server{Docs: gap}).Axis("doc")
		if axis.Points != 1 || len(axis.Drivers) != 1 {
			t.Errorf("%b: %+v", gap, axis)
		}
		why[axis.Drivers[0].Why] = true
	}
	if all := ScoreServer(Default, Server{Docs: NoDocsURL | DocsInadequate | UnusedFor90Days}).Axis("doc"); all.Points != 2 || len(all.Drivers) != 3 || len(why) != 3 {
		t.Errorf("all together: %+v", all)
	}
	days := func(n int) *int { return &n }
	for _, tc := range []struct {
		url      string
		adequate bool
		used     *int
		want     DocGaps
	}{
		{"https://d.example", true, nil, 0},
		{"https://d.example", true, days(90), 0},
		{"https://d.example", true, days(91), UnusedFor90Days},
		{" ", true, nil, NoDocsURL},
		{"https://d.example", false, days(0), DocsInadequate},
	} {
		if got := GapsOf(tc.url, tc.adequate, tc.used); got != tc.want {
			t.Errorf("%+v: got %b", tc, got)
		}
	}
}

func TestBundledCatalogLevels(t *testing.T) {
	entries, err := servers.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	privileged := map[string]bool{"onedrive-sharepoint": true, "atlassian": true, "cloud-sql": true}
	for _, p := range []Profile{Default, Reference} {
		for _, e := range entries {
			got := FromCatalog(p, e)
			want := L1
			switch auth := e.Transports[0].Auth; {
			case privileged[e.ID]:
				want = L5
			case !ParseSignals(e.Trust).Has(VendorOfficial), auth == "api_key", auth == "bearer":
				want = L2
			}
			if got.Level != want || got.Matched != e.ID || (want == L5) != (got.Floor.ID == FloorPrivilegedScope) {
				t.Errorf("%v: %s: %s", p, e.ID, got.Explain())
			}
		}
	}
}

func TestPreview(t *testing.T) {
	entries, err := servers.Bundled()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name                string
		reg                 Registration
		matched             string
		reference, default_ Level
		floor               string
	}{
		{"an unknown host without auth", Registration{Transport: StreamableHTTP, URL: "https://mcp.unknown.example/mcp"}, "", L5, L5, FloorNoAuthUnknown},
		{"something on this machine", Registration{Transport: StreamableHTTP, URL: "http://127.0.0.1:9000/mcp"}, "", L5, L5, ""},
		{"a known host", Registration{Transport: StreamableHTTP, URL: "https://MCP.notion.com/other"}, "notion", L1, L1, ""},
		{"a known host without TLS", Registration{Transport: StreamableHTTP, URL: "http://mcp.notion.com/mcp"}, "notion", L1, L3, ""},
		{"a known host, another port", Registration{Transport: StreamableHTTP, URL: "https://mcp.notion.com:8443/mcp"}, "notion", L1, L2, ""},
		{"one of several servers of a host", Registration{Transport: StreamableHTTP, URL: "https://agent365.svc.cloud.microsoft/agents/tenants/t1/servers/mcp_MailTools/?x=1"}, "outlook-mail", L1, L1, ""},
		{"a host of several servers, another path", Registration{Transport: StreamableHTTP, URL: "https://agent365.svc.cloud.microsoft/agents/tenants//servers/mcp_MailTools"}, "microsoft-teams", L1, L2, ""},
		{"a known host as a user name", Registration{Transport: StreamableHTTP, URL: "https://mcp.notion.com@evil.example/mcp"}, "", L5, L5, FloorNoAuthUnknown},
		{"a known program", Registration{Transport: STDIO, Name: "mine", Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-memory@1.2"}}, "memory", L5, L2, ""},
		{"a known name with another program", Registration{Transport: STDIO, Name: "Memory-macOS", Command: "npx", Args: []string{"-y", "evil"}}, "", L2, L5, ""},
		{"a known program as an argument", Registration{Transport: STDIO, Name: "x", Command: "npx", Args: []string{"-y", "evil", "@modelcontextprotocol/server-memory"}}, "", L5, L5, ""},
		{"a known program behind a flag", Registration{Transport: STDIO, Name: "x", Command: "uvx", Args: []string{"--from", "mcp-server-git", "evil"}}, "", L5, L5, ""},
		{"a program with a longer name", Registration{Transport: STDIO, Name: "x", Command: "uvx", Args: []string{"mcp-server-git-evil"}}, "", L5, L5, ""},
	} {
		for p, want := range map[Profile]Level{Reference: tc.reference, Default: tc.default_} {
			got := PreviewRegistration(p, tc.reg, entries)
			if p == Default && got.Matched != tc.matched {
				t.Errorf("%s: matched %q, want %q", tc.name, got.Matched, tc.matched)
			}
			backwards := slices.Clone(entries)
			slices.Reverse(backwards)
			if other := PreviewRegistration(p, tc.reg, backwards); other.Level != got.Level || other.Matched != got.Matched {
				t.Errorf("%s, %v: the order of the catalog decides: %s or %s", tc.name, p, got.Explain(), other.Explain())
			}
			if got.Level != want {
				t.Errorf("%s, %v: %s", tc.name, p, got.Explain())
			}
			if want == tc.reference && tc.floor != got.Floor.ID {
				t.Errorf("%s, %v: floor %q, want %q", tc.name, p, got.Floor.ID, tc.floor)
			}
			for _, axis := range []string{"transport", "auth", "trust", "doc"} {
				if got.Rationale[axis] == "" {
					t.Errorf("%s, %v: no reason for %s", tc.name, p, axis)
				}
			}
			if (got.Rationale["floor"] != "") != got.Floor.Tripped() {
				t.Errorf("%s, %v: floor %v, reason %q", tc.name, p, got.Floor, got.Rationale["floor"])
			}
		}
	}
}
