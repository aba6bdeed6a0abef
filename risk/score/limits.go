package score

// limits say what a score is not. Every report carries them.
var limits = []string{
	"The server controls everything that is scored: its name, its tools and their texts. A clean surface can be put on.",
	"A server can show one list to a scanner and another one to a signed-in client. A passive scan does not notice.",
	"It is one moment: tools and texts can change before the next call.",
	"Nobody verified who operates the server: neither the ownership of the domain nor the publisher of the package.",
	"No tool was called: whether a tool does what its description says is not known.",
	"That authorization exists was seen; how well tokens, scopes and expiry are checked was not.",
	"That a schema exists was seen; whether the server enforces it was not.",
	"What tools return was not seen, and with it no instructions hidden there.",
	"Hosting, dependencies and source code were not looked at.",
	"It is one place on one network: from elsewhere the answer may differ.",
	"The score measures the surface that an agent takes over, not the probability of malice.",
}

// Assumption is an answer of ours to a question that the methodology leaves open.
type Assumption struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// assumptions in the order of reports, with the condition under which a report
// relies on one; nil is always.
var assumptions = []struct {
	Assumption
	when func(*Report, *Observation) bool
}{
	{Assumption{"A01", "The score is the weight of passed rules over that of passed and failed ones, in percent, rounded half up; this fits the published reports."}, nil},
	{Assumption{"A02", "A rule that could not be looked at is unknown and leaves the sums like one that does not apply."}, func(r *Report, _ *Observation) bool { return r.Counts[Unknown] > 0 }},
	{Assumption{"A03", "Verdicts are tried in the order block, unknown, review, allow."}, nil},
	{Assumption{"A04", "Behind authorization there is a capped score, marked as a limited measurement."}, func(r *Report, _ *Observation) bool { return r.Measurement == "limited" }},
	{Assumption{"A05", "Full coverage means that 90 % of the tools have a schema and 90 % a description."}, func(r *Report, _ *Observation) bool { return r.Level == Full || r.Level == Partial }},
	{Assumption{"A06", "With minimal coverage allow becomes review."}, func(r *Report, _ *Observation) bool { return r.Level == Minimal }},
	{Assumption{"A07", "transport_no_scheme_downgrade is ours: the tenth transport rule is known by its weight alone."}, onWire},
	{Assumption{"A08", "HSTS counts from a max-age of one day."}, onWire},
	{Assumption{"A09", "A refusal of the foreign Origin other than 403 says nothing; 5xx and no answer are unknown."}, onWire},
	{Assumption{"A10", "Keyword lists that were published in part are completed by us, and words match whole, without endings."}, func(r *Report, _ *Observation) bool { return r.Profile == Classic }},
	{Assumption{"A11", "Empty properties with additionalProperties: false are a schema."}, nil},
	{Assumption{"A12", "Schemes of resources other than https, git, urn, ui, mcp, resource and docs are uncommon."}, func(r *Report, o *Observation) bool { return r.Profile == Classic && len(o.Resources.Items) > 0 }},
	{Assumption{"A13", "A server over stdio counts as public_handshake, and rules about the wire do not apply to it."}, func(_ *Report, o *Observation) bool { return o.Target.Kind == Stdio }},
	{Assumption{"A14", "A stored list was not contacted: handshake rules that need an answer do not apply, and coverage is partial at most."}, func(_ *Report, o *Observation) bool { return o.Target.Kind == List }},
	{Assumption{"A15", "Insecure grants are judged only if grant_types_supported is stated."}, func(_ *Report, o *Observation) bool { return o.Auth != nil }},
	{Assumption{"A16", "riskLevel is critical for block, high with a failed HIGH rule, low for allow, else medium."}, nil},
	{Assumption{"A17", "A hard fail blocks only with high confidence; below, it asks for a review."}, func(r *Report, _ *Observation) bool { return r.Profile == Refined }},
	{Assumption{"A18", "A list of tools that failed or did not end is thin coverage: allow becomes review."}, func(_ *Report, o *Observation) bool { return o.Hello != nil && (!o.Tools.OK() || o.Tools.More) }},
	{Assumption{"A19", "A HIGH rule that fails with low confidence costs points and asks for no review."}, func(r *Report, _ *Observation) bool { return r.Profile == Refined }},
}

func onWire(_ *Report, o *Observation) bool { return o.Target.Kind == HTTP || o.Target.Kind == SSE }

// Assumptions returns all of them.
func Assumptions() []Assumption {
	all := make([]Assumption, len(assumptions))
	for i, a := range assumptions {
		all[i] = a.Assumption
	}
	return all
}

func assumptionsFor(r *Report, o *Observation) []Assumption {
	var all []Assumption
	for _, a := range assumptions {
		if a.when == nil || a.when(r, o) {
			all = append(all, a.Assumption)
		}
	}
	return all
}
