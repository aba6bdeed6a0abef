package contract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/risk/contract"
)

// The three vocabularies, written down a second time: 23, 12 and 12 words.
func TestEveryMarkerCounts(t *testing.T) {
	private := "artifact_inventory build_status customer data_classification fork_test_result identity incident internal invariant_test_result log package_inventory payment " +
		"policy read_only_rpc_trace repo scanner scanner_artifacts secret source ticket token trace wallet"
	untrusted := "advisory artifact cve finding fork_test_result invariant_test_result log package read_only_rpc_trace scanner source ticket"
	destructive := "broadcast delete deploy destroy multisig publish purge quarantine release signer submit+transaction wallet"
	for _, list := range []struct {
		words string
		count int
		found func(contract.Profile) ([]string, bool)
	}{
		{private, 23, func(p contract.Profile) ([]string, bool) { return p.Markers.Private, p.Factors.ReadsPrivateData }},
		{untrusted, 12, func(p contract.Profile) ([]string, bool) { return p.Markers.Untrusted, p.Factors.SeesUntrustedContent }},
		{destructive, 12, func(p contract.Profile) ([]string, bool) {
			return p.Markers.Destructive, p.Factors.DestructiveActionPotential
		}},
	} {
		words := strings.Fields(list.words)
		if len(words) != list.count {
			t.Fatalf("%d words, want %d", len(words), list.count)
		}
		for _, word := range words {
			word = strings.ReplaceAll(word, "+", " ")
			markers, factor := list.found(contract.Connector{DataClasses: []string{"X" + strings.ToUpper(word) + "X"}}.Score())
			if !factor || !slices.Contains(markers, word) {
				t.Errorf("%s: %q, %v", word, markers, factor)
			}
		}
		all := contract.Connector{AllowedOperations: words, DataClasses: []string{"submit transaction"}}.Score()
		if markers, _ := list.found(all); len(markers) != list.count {
			t.Errorf("%d markers, want %d: %q", len(markers), list.count, markers)
		}
	}
	// Python's lower() keeps the dot of a dotted capital I, so this is no incident.
	if p := (contract.Connector{Title: "\u0130ncident"}).Score(); p.Factors.ReadsPrivateData {
		t.Errorf("a dotted capital I: %q", p.Markers.Private)
	}
	if p := (contract.Connector{Title: "to\u212aen"}).Score(); !p.Factors.ReadsPrivateData {
		t.Error("the Kelvin sign is a k in lower case")
	}
}
