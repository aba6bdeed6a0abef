package mcp

import (
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/catalog/servers"
)

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
		{"a known host with a token", Registration{Transport: StreamableHTTP, URL: "https://mcp.notion.com/mcp", Auth: AuthBearer}, "notion", L1, L2, ""},
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
			if strings.HasPrefix(got.Rationale["trust"], "catalog entry "+got.Matched+": ") != (got.Matched != "") {
				t.Errorf("%s, %v: matched %q, trust because %q", tc.name, p, got.Matched, got.Rationale["trust"])
			}
			if (got.Rationale["floor"] != "") != got.Floor.Tripped() {
				t.Errorf("%s, %v: floor %v, reason %q", tc.name, p, got.Floor, got.Rationale["floor"])
			}
		}
	}
}

func TestAnEntryWithoutTransportsIsNotTrusted(t *testing.T) {
	if got := FromCatalog(Default, servers.Entry{ID: "x", Trust: []string{"vendor-official"}}); got.Matched != "" || got.Level != L5 {
		t.Error(got.Explain())
	}
}
