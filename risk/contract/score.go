package contract

import (
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/risk/contract/pyjson"
)

// Factors are the six facts that determine a tool's risk.
type Factors struct {
	CanExfiltrate              bool `json:"can_exfiltrate"`
	DestructiveActionPotential bool `json:"destructive_action_potential"`
	ReadsPrivateData           bool `json:"reads_private_data"`
	RequiresHumanApproval      bool `json:"requires_human_approval"`
	SeesUntrustedContent       bool `json:"sees_untrusted_content"`
	WritesState                bool `json:"writes_state"`
}

// sensitive reports whether a tool is held unless its server is trusted.
func (f Factors) sensitive() bool {
	return f.ReadsPrivateData || f.CanExfiltrate || f.WritesState || f.DestructiveActionPotential
}

// trifecta reports whether all three legs of the session rule are present.
func (f Factors) trifecta() bool {
	return f.ReadsPrivateData && f.SeesUntrustedContent && f.CanExfiltrate
}

func (f Factors) or(g Factors) Factors {
	return Factors{
		CanExfiltrate:              f.CanExfiltrate || g.CanExfiltrate,
		DestructiveActionPotential: f.DestructiveActionPotential || g.DestructiveActionPotential,
		ReadsPrivateData:           f.ReadsPrivateData || g.ReadsPrivateData,
		RequiresHumanApproval:      f.RequiresHumanApproval || g.RequiresHumanApproval,
		SeesUntrustedContent:       f.SeesUntrustedContent || g.SeesUntrustedContent,
		WritesState:                f.WritesState || g.WritesState,
	}
}

// tier returns the first row that matches, worst first.
func (f Factors) tier() Tier {
	switch {
	case f.DestructiveActionPotential, f.CanExfiltrate && (f.ReadsPrivateData || f.SeesUntrustedContent):
		return Tier4
	case f.WritesState:
		return Tier3
	case f.ReadsPrivateData:
		return Tier2
	case f.SeesUntrustedContent:
		return Tier1
	}
	return Tier0
}

// Connector is what an organisation knows about one connector. It is the input of
// [Connector.Score].
type Connector struct {
	Namespace, ID, Title, Category         string
	AccessModes, DataClasses               []string
	AllowedOperations, ForbiddenOperations []string
	KillSignals, RequiredControls          []string
	Status, TrustTier                      string
}

// Profile is the score of one connector.
type Profile struct {
	Factors          Factors  `json:"factors"`
	RiskTier         Tier     `json:"risk_tier"`
	DefaultDecision  Decision `json:"default_decision"`
	SuggestedHints   Hints    `json:"suggested_hints"`
	ServerTrusted    bool     `json:"server_trusted"`
	AnnotationSource string   `json:"annotation_source"`
	AccessModes      []string `json:"access_modes"`
	Markers          Markers  `json:"markers"`
}

// Markers are the words that made a factor true, so that it can be disputed.
type Markers struct {
	Private     []string `json:"private"`
	Untrusted   []string `json:"untrusted"`
	Destructive []string `json:"destructive"`
}

const (
	trustedSource   = "trusted_enterprise_gateway"
	untrustedSource = "untrusted_or_unverified_server"
	publicTrustTier = "tier_0_public_context"
)

// The words that make a factor true when they occur anywhere in a connector's
// texts, as plain substrings: "log" is found in "catalogue". The lists are part
// of the published contract.
var (
	privateMarkers = []string{
		"artifact_inventory", "build_status", "customer", "data_classification", "fork_test_result", "identity", "incident",
		"internal", "invariant_test_result", "log", "package_inventory", "payment", "policy", "read_only_rpc_trace", "repo",
		"scanner", "scanner_artifacts", "secret", "source", "ticket", "token", "trace", "wallet",
	}
	untrustedMarkers = []string{
		"advisory", "artifact", "cve", "finding", "fork_test_result", "invariant_test_result", "log", "package",
		"read_only_rpc_trace", "scanner", "source", "ticket",
	}
	destructiveMarkers = []string{
		"broadcast", "delete", "deploy", "destroy", "multisig", "publish", "purge", "quarantine", "release", "signer",
		"submit transaction", "wallet",
	}
	trustControls = []string{"pin_tool_descriptions", "audit_every_tool_call", "session_binding"}
)

// Score computes the profile of a connector. Forbidden operations and kill signals
// hint at what the connector can reach, so they count for the private and untrusted
// factors, but not for the destructive one.
func (c Connector) Score() Profile {
	narrow := pyjson.Lower(strings.Join(slices.Concat([]string{c.Namespace, c.ID, c.Title, c.Category}, c.DataClasses, c.AllowedOperations), " "))
	wide := narrow + " " + pyjson.Lower(strings.Join(slices.Concat(c.ForbiddenOperations, c.KillSignals), " "))
	found := Markers{
		Private:     markersIn(wide, privateMarkers),
		Untrusted:   markersIn(wide, untrustedMarkers),
		Destructive: markersIn(narrow, destructiveMarkers),
	}
	asks := slices.Contains(c.AccessModes, modeApproval)
	var f Factors
	f.WritesState = slices.ContainsFunc(c.AccessModes, writes)
	f.CanExfiltrate = asks || slices.Contains(c.AccessModes, modeTicket) || strings.HasPrefix(c.Namespace, "tickets.")
	f.DestructiveActionPotential = asks || len(found.Destructive) > 0
	f.RequiresHumanApproval = f.DestructiveActionPotential
	f.ReadsPrivateData = c.TrustTier != publicTrustTier && len(found.Private) > 0
	// The published rule also names three categories; all three end in "sources"
	// and hold a marker already.
	f.SeesUntrustedContent = len(found.Untrusted) > 0

	readOnly := len(c.AccessModes) > 0 && !slices.ContainsFunc(c.AccessModes, func(mode string) bool { return mode != modeRead })
	p := Profile{
		Factors:          f,
		RiskTier:         f.tier(),
		SuggestedHints:   Hints{ReadOnly: readOnly, Destructive: f.DestructiveActionPotential, Idempotent: readOnly, OpenWorld: true},
		AnnotationSource: untrustedSource,
		AccessModes:      sortedSet(c.AccessModes),
		Markers:          found,
	}
	p.DefaultDecision = tierDefaults[p.RiskTier] // Hold for a destructive one, whose tier is always 4
	if c.Status == "production" && slices.ContainsFunc(trustControls, func(control string) bool { return slices.Contains(c.RequiredControls, control) }) {
		p.ServerTrusted, p.AnnotationSource = true, trustedSource
	}
	return p
}

func markersIn(s string, markers []string) []string {
	found := []string{}
	for _, m := range markers {
		if strings.Contains(s, m) {
			found = append(found, m)
		}
	}
	return found
}

func sortedSet(list []string) []string {
	sorted := append([]string{}, list...)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// ParseConnector reads one connector row.
func ParseConnector(raw []byte) (Connector, error) {
	row, err := readDocument(raw)
	if err != nil {
		return Connector{}, err
	}
	c := readConnector(row)
	return c, row.err()
}

func readConnector(row node) Connector {
	c := Connector{
		Namespace:           row.member("namespace").text(),
		ID:                  row.member("connector_id").text(),
		Title:               row.member("title").text(),
		Category:            row.member("category").text(),
		AccessModes:         row.member("access_modes").texts(),
		DataClasses:         row.member("data_classes").texts(),
		AllowedOperations:   row.member("allowed_operations").texts(),
		ForbiddenOperations: row.member("forbidden_operations").texts(),
		KillSignals:         row.member("kill_signals").texts(),
		RequiredControls:    row.member("required_controls").texts(),
		Status:              row.member("status").text(),
	}
	// Richer trust packs write the tier as an object with an id.
	if tier := row.member("trust_tier"); tier.value.Kind == pyjson.Object {
		c.TrustTier = tier.member("id").text()
	} else {
		c.TrustTier = tier.text()
	}
	return c
}
