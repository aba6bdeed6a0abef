package contract

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/contract/pyjson"
)

// check is one condition that the sources of a contract must meet. If they do not,
// the pack is still written and lists the failures: it is evidence too.
type check struct {
	id      string
	message string
	holds   func(*registered) bool
}

// The smallest numbers the published generator accepts.
const (
	minIntent     = 120 // characters
	minStandards  = 9
	minCoverage   = 70 // characters
	minAttributes = 12
	minTiers      = 5
	minChecks     = 8
)

var checks = [...]check{
	{"profile-version", "the profile's schema_version must be 1.0", versionHolds(profileSource)},
	{"profile-intent", fmt.Sprintf("the intent must say what the contract is for, in %d characters or more", minIntent), func(reg *registered) bool {
		return utf8.RuneCountInString(reg.profile.value.Get("intent").Text) >= minIntent
	}},
	{"standards-number", fmt.Sprintf("at least %d standards must be named", minStandards), func(reg *registered) bool {
		return len(reg.standards()) >= minStandards
	}},
	{"standards-unique", "no standard may be named twice", func(reg *registered) bool {
		seen := map[string]bool{}
		for _, s := range reg.standards() {
			seen[s.Get("id").Text] = true
		}
		return len(seen) == len(reg.standards())
	}},
	{"standards-https", "every standard must have an https URL", everyStandard(func(s pyjson.Value) bool {
		return strings.HasPrefix(s.Get("url").Text, "https://")
	})},
	{"standards-coverage", fmt.Sprintf("every standard must say in %d characters or more what it covers", minCoverage), everyStandard(func(s pyjson.Value) bool {
		return utf8.RuneCountInString(s.Get("coverage").Text) >= minCoverage
	})},
	{"default-decision", "the default decision must be " + Hold.String(), func(reg *registered) bool {
		return reg.terms().Get("default_decision").Text == Hold.String()
	}},
	{"hints-declared", "all four standard hints must be declared", func(reg *registered) bool {
		declared := map[string]bool{}
		for _, v := range reg.terms().Get("standard_tool_annotations").Items {
			declared[v.Text] = true
		}
		for _, name := range hintMembers {
			if !declared[name] {
				return false
			}
		}
		return true
	}},
	{"hints-defaults", "the defaults of the hints must be those of MCP", func(reg *registered) bool {
		return readHints(reg.profile.member("tool_risk_contract").member("standard_annotation_defaults"), hintMembers) == defaultHints
	}},
	{"attributes-number", fmt.Sprintf("at least %d request attributes must be required", minAttributes), func(reg *registered) bool {
		return len(reg.terms().Get("required_runtime_attributes").Items) >= minAttributes
	}},
	{"tiers-number", fmt.Sprintf("all %d risk tiers must have a default decision", minTiers), func(reg *registered) bool {
		return len(reg.tiers) >= minTiers
	}},
	{"checks-number", fmt.Sprintf("at least %d control checks must be named", minChecks), func(reg *registered) bool {
		return len(reg.profile.value.Get("control_checks").Items) >= minChecks
	}},
	{"connectors-version", "the connector trust pack's schema_version must be 1.0", versionHolds(connectorSource)},
	{"connectors-clean", "the connector trust pack must not carry failures", cleanHolds(connectorSource)},
	{"authorization-version", "the authorization pack's schema_version must be 1.0", versionHolds(authorizationSource)},
	{"authorization-clean", "the authorization pack must not carry failures", cleanHolds(authorizationSource)},
	{"workflows-version", "the workflow manifest's schema_version must be 1.0", versionHolds(workflowSource)},
	{"policy-version", "the gateway policy's schema_version must be 1.0", versionHolds(policySource)},
	{"policy-clean", "the gateway policy must not carry failures", cleanHolds(policySource)},
}

func versionHolds(source string) func(*registered) bool {
	return func(reg *registered) bool { return reg.versions[source] == schemaVersion }
}

func cleanHolds(source string) func(*registered) bool {
	return func(reg *registered) bool { return !reg.complaints[source] }
}

func everyStandard(holds func(pyjson.Value) bool) func(*registered) bool {
	return func(reg *registered) bool {
		for _, s := range reg.standards() {
			if !holds(s) {
				return false
			}
		}
		return true
	}
}

func (reg *registered) standards() []pyjson.Value {
	return reg.profile.value.Get("standards_alignment").Items
}

func (reg *registered) terms() pyjson.Value { return reg.profile.value.Get("tool_risk_contract") }

// failures lists the checks that do not hold.
func (reg *registered) failures() []string {
	failed := []string{}
	for _, c := range checks {
		if !c.holds(reg) {
			failed = append(failed, c.id+": "+c.message)
		}
	}
	return failed
}
