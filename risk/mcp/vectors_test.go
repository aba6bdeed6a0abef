package mcp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/internal/vectors"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/mcp"
	"github.com/glovebox-run/glovebox/risk/mcp/request"
)

func floorID(f mcp.Floor) *string {
	if !f.Tripped() {
		return nil
	}
	return &f.ID
}

// same compares a value with an expectation that may be absent from a row.
func same[T comparable](t *testing.T, what string, got T, want *T) {
	t.Helper()
	if want != nil && got != *want {
		t.Errorf("%s: got %v, want %v", what, got, *want)
	}
}

// sameFloor treats an absent expectation as free and null as "no floor".
func sameFloor(t *testing.T, got mcp.Floor, want json.RawMessage) {
	t.Helper()
	if want == nil {
		return
	}
	if b, _ := json.Marshal(floorID(got)); string(b) != string(want) {
		t.Errorf("floor: got %s, want %s", b, want)
	}
}

func TestVectorsServerRisk(t *testing.T) {
	type expect struct {
		Level *mcp.Level
		Score *int
		Axes  struct{ Transport, Auth, Trust, Doc *int }
		Floor json.RawMessage
	}
	vectors.Run(t, "server_risk", func(t *testing.T, in request.Server, want expect) {
		got := mcp.ScoreServer(mcp.Reference, in.Facts())
		same(t, "level", got.Level, want.Level)
		same(t, "score", got.Points, want.Score)
		same(t, "transport", got.Axis("transport").Points, want.Axes.Transport)
		same(t, "auth", got.Axis("auth").Points, want.Axes.Auth)
		same(t, "trust", got.Axis("trust").Points, want.Axes.Trust)
		same(t, "doc", got.Axis("doc").Points, want.Axes.Doc)
		sameFloor(t, got.Floor, want.Floor)
	})
}

func TestVectorsServerRiskInputs(t *testing.T) {
	type input struct {
		Entry    json.RawMessage `json:"catalog_entry"`
		LastUsed *int            `json:"last_used_days_ago"`
	}
	type expect struct {
		Gaps int `json:"doc_gaps"`
	}
	vectors.Run(t, "server_risk_inputs", func(t *testing.T, in input, want expect) {
		var entry struct {
			DocsURL  string `json:"docs_url"`
			Adequate bool   `json:"docs_adequate"`
		}
		if in.Entry != nil {
			if err := json.Unmarshal(in.Entry, &entry); err != nil {
				t.Fatal(err)
			}
		}
		if got := mcp.GapsOf(entry.DocsURL, entry.Adequate, in.LastUsed).Count(); got != want.Gaps {
			t.Errorf("got %d, want %d", got, want.Gaps)
		}
	})
}

func TestVectorsToolRisk(t *testing.T) {
	type expect struct {
		Level   *mcp.Level
		Score   *int
		Base    *int
		Penalty *int `json:"doc_penalty"`
		Floor   json.RawMessage
	}
	vectors.Run(t, "tool_risk", func(t *testing.T, in request.Tool, want expect) {
		got := mcp.ScoreTool(mcp.Reference, in.Facts())
		same(t, "level", got.Level, want.Level)
		same(t, "score", got.Points, want.Score)
		same(t, "base", got.Axis("base").Points, want.Base)
		same(t, "doc", got.Axis("doc").Points, want.Penalty)
		sameFloor(t, got.Floor, want.Floor)
	})
}

func TestVectorsToolRiskInputs(t *testing.T) {
	type input struct {
		Schema  json.RawMessage `json:"input_schema"`
		Factors json.RawMessage `json:"risk_factors"`
	}
	type expect struct {
		Coverage *float64
		Effect   *mcp.SideEffect `json:"side_effect"`
	}
	vectors.Run(t, "tool_risk_inputs", func(t *testing.T, in input, want expect) {
		same(t, "coverage", mcp.Coverage(in.Schema), want.Coverage)
		same(t, "side effect", mcp.FactorsEffect(in.Factors), want.Effect)
	})
}

func TestVectorsComposer(t *testing.T) {
	type input struct {
		Server        json.RawMessage
		Tool          json.RawMessage
		Score         *int
		Level         json.RawMessage
		HITL          *bool           `json:"human_in_the_loop"`
		Members       []*mcp.Level    `json:"member_levels"`
		InternalJS    json.RawMessage `json:"internal_js_level"`
		Sandbox       risk.Level      `json:"sandbox_level"`
		NeedsApproval bool            `json:"requires_approval"`
		Clean         bool            `json:"description_clean"`
	}
	type expect struct {
		Level       json.RawMessage
		Trigger     json.RawMessage
		ServerLevel *mcp.Level `json:"server_level"`
		Inherent    *mcp.Level
		Effective   *mcp.Level
	}
	level := func(raw json.RawMessage) (l mcp.Level) {
		if string(raw) != "null" {
			if err := json.Unmarshal(raw, &l); err != nil {
				t.Fatal(err)
			}
		}
		return l
	}
	orZero := func(l *mcp.Level) mcp.Level {
		if l == nil {
			return mcp.Unrated
		}
		return *l
	}
	vectors.Run(t, "composer", func(t *testing.T, in input, want expect) {
		var got mcp.Level
		switch {
		case in.Tool != nil:
			both, err := json.Marshal(map[string]json.RawMessage{"server": in.Server, "tool": in.Tool})
			if err != nil {
				t.Fatal(err)
			}
			c, err := request.ScoreComposition(mcp.Reference, both)
			if err != nil {
				t.Fatal(err)
			}
			sameFloor(t, c.Trigger, want.Trigger)
			got = c.Level
		case in.Score != nil:
			got = mcp.Band(*in.Score)
		case in.HITL != nil:
			got = mcp.Mitigate(mcp.Reference, level(in.Level), *in.HITL)
		case in.Members != nil:
			var members []mcp.Level
			for _, m := range in.Members {
				members = append(members, orZero(m))
			}
			got = mcp.Aggregate(mcp.Reference, members)
		case in.InternalJS != nil:
			got, _ = mcp.BuiltInTool(mcp.Reference, risk.Level(level(in.InternalJS)), false, false)
		case strings.EqualFold(string(in.Server), `"builtin"`):
			inherent, effective := mcp.BuiltInTool(mcp.Reference, in.Sandbox, in.NeedsApproval, in.Clean)
			same(t, "inherent", inherent, want.Inherent)
			same(t, "effective", effective, want.Effective)
			same(t, "server level", mcp.L0, want.ServerLevel)
			got = effective
		case string(in.Server) == "null":
			got = mcp.UnknownServer(mcp.Reference)
			same(t, "server level", got, want.ServerLevel)
		default:
			t.Fatal("a kind of row that this test does not know")
		}
		if want.Level != nil && got != level(want.Level) {
			t.Errorf("level: got %v, want %s", got, want.Level)
		}
	})
}

func TestVectorsHostClass(t *testing.T) {
	type input struct {
		Transport mcp.Transport
		URL       string
	}
	type expect struct{ Class string }
	vectors.Run(t, "host_class", func(t *testing.T, in input, want expect) {
		if got := mcp.ClassifyHost(mcp.Reference, in.Transport, in.URL); got.String() != want.Class {
			t.Errorf("got %v, want %s", got, want.Class)
		}
	})
}

func TestVectorsAuthClass(t *testing.T) {
	type input struct {
		CatalogAuth  *string         `json:"catalog_auth"`
		Issuer       string          `json:"issuer_uri"`
		CatalogEntry *bool           `json:"catalog_entry"`
		Connection   json.RawMessage `json:"connection"`
		Text         *string         `json:"connection_text"`
	}
	type expect struct {
		Auth *mcp.Auth
		URL  json.RawMessage
	}
	vectors.Run(t, "auth_class", func(t *testing.T, in input, want expect) {
		var auth mcp.Auth
		var rawURL string
		switch {
		case in.Text != nil:
			auth, rawURL = mcp.ConnectionAuth(mcp.Reference, []byte(*in.Text))
		case in.CatalogEntry != nil && !*in.CatalogEntry:
			auth, rawURL = mcp.ConnectionAuth(mcp.Reference, in.Connection)
		default:
			word := ""
			if in.CatalogAuth != nil {
				word = *in.CatalogAuth
			}
			auth = mcp.CatalogAuth(mcp.Reference, word, in.Issuer)
		}
		same(t, "auth", auth, want.Auth)
		if want.URL != nil {
			var wantURL string
			if err := json.Unmarshal(want.URL, &wantURL); err != nil {
				t.Fatal(err)
			}
			if rawURL != wantURL {
				t.Errorf("url: got %q, want %q", rawURL, wantURL)
			}
		}
	})
}

func TestVectorsTrustSignals(t *testing.T) {
	type input struct{ Words []string }
	type expect struct {
		Signals []string `json:"signals_set"`
	}
	vectors.Run(t, "trust_signals", func(t *testing.T, in input, want expect) {
		slices.Sort(want.Signals)
		if got := mcp.ParseSignals(in.Words).Words(); !slices.Equal(got, want.Signals) {
			t.Errorf("got %v, want %v", got, want.Signals)
		}
	})
}
