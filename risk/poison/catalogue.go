package poison

import (
	"github.com/glovebox-run/glovebox/risk/poison/internal/frame"
	"github.com/glovebox-run/glovebox/risk/poison/internal/language"
)

// Rule describes one rule for a catalogue.
type Rule struct {
	ID    string
	Class Class // "" for evidence that is no deed by itself
	Why   string
}

// languageRule is the id of findings in which rules of the language layer add up.
const languageRule = "language"

// Rules lists every rule that a finding can name, and all that can be its
// evidence, in a fixed order.
func Rules() []Rule {
	all := []Rule{{languageRule, "", "evidence that adds up within a passage; see the finding"}}
	for _, r := range language.Rules() {
		all = append(all, Rule{r.ID, Class(r.Class), r.Why})
	}
	all = append(all, Rule{voiceRule, "", whyVoice})
	for c := range frame.Count {
		all = append(all, Rule{voiceRule + "-" + c.String(), "", "the passage " + c.Why()})
	}
	for _, id := range characterRules {
		all = append(all, Rule{id, trickRules[id].class, trickRules[id].why})
	}
	for _, r := range payloadRules {
		all = append(all, Rule{r.id, r.class, r.why})
	}
	all = append(all, Rule{tooDeep, DeceptiveText, whyTooDeep})
	for _, p := range referencePatterns {
		all = append(all, Rule{p.id, ReferencePattern, "one of the nine published patterns"})
	}
	return append(all, Rule{CrossServer, ReferencePattern, "one of the nine published patterns"})
}
