package language

// group collects the rules that are evidence of the same thing: the points of a
// group are capped, so saying one thing three ways does not condemn a text.
type group uint8

const (
	override group = iota
	conceal
	sensitive
	exfil
	command
	param
	tool
	say
	deny
	destroy
	lastAction = destroy // the groups above are deeds; those below only a manner of speaking
)

const (
	authority group = iota + lastAction + 1
	handover
	obligation
	scope
	aside
	placing
	groupCount
)

// groups gives each group its class and its cap. A text is acted on at 100
// points, of which some must be a deed: official manner alone (headings, duties,
// reasons) says nothing, and most deeds alone do not reach it either.
var groups = [groupCount]struct {
	class string
	cap   int
}{
	override:  {"instruction_override", 150},
	conceal:   {"concealment", 130},
	sensitive: {"sensitive_access", 95},
	exfil:     {"data_exfiltration", 95},
	command:   {"command_execution", 110},
	param:     {"parameter_override", 110},
	tool:      {"tool_shadowing", 110},
	say:       {"output_manipulation", 90},
	deny:      {"task_denial", 90},
	destroy:   {"destructive_action", 80},

	authority:  {"", 70},
	handover:   {"", 40},
	obligation: {"", 45},
	scope:      {"", 40},
	aside:      {"", 20},
	placing:    {"", 50},
}

// rule is one row: what evidence, how much of it, and which wordings. affirmed
// rules do not count behind a negation ("never send credentials").
type rule struct {
	id       string
	group    group
	points   int
	affirmed bool
	why      string
	patterns string
}

// Rule describes one rule for a catalogue.
type Rule struct {
	ID     string
	Class  string // of the attack that the deed belongs to; "" for a manner
	Points int
	Why    string
}

// Rules lists all rules in a fixed order.
func Rules() []Rule {
	all := make([]Rule, len(rules))
	for i, r := range rules {
		all[i] = Rule{r.id, groups[r.group].class, r.points, r.why}
	}
	return all
}
