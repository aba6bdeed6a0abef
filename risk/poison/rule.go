package poison

// Class is the kind of attack that a finding speaks of.
type Class string

const (
	InstructionOverride Class = "instruction_override" // sets aside what the model was told, or its role
	Concealment         Class = "concealment"          // keeps something from the user
	SensitiveAccess     Class = "sensitive_access"     // reaches for credentials, private files, the conversation
	DataExfiltration    Class = "data_exfiltration"    // sends data where the user did not ask for it
	CommandExecution    Class = "command_execution"    // has the caller run something
	ParameterOverride   Class = "parameter_override"   // changes what the user asked for
	ToolShadowing       Class = "tool_shadowing"       // rules over tools of others
	OutputManipulation  Class = "output_manipulation"  // dictates what the model says
	TaskDenial          Class = "task_denial"          // has the model refuse or stop
	DestructiveAction   Class = "destructive_action"   // has the caller destroy something
	HiddenText          Class = "hidden_text"          // characters nobody sees
	DeceptiveText       Class = "deceptive_text"       // characters that look like others
	EncodedPayload      Class = "encoded_payload"      // text that must be decoded to be read
	ReferencePattern    Class = "reference_pattern"    // one of the nine published patterns
)

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
	class Class
	cap   int
}{
	override:  {InstructionOverride, 150},
	conceal:   {Concealment, 130},
	sensitive: {SensitiveAccess, 95},
	exfil:     {DataExfiltration, 95},
	command:   {CommandExecution, 110},
	param:     {ParameterOverride, 110},
	tool:      {ToolShadowing, 110},
	say:       {OutputManipulation, 90},
	deny:      {TaskDenial, 90},
	destroy:   {DestructiveAction, 80},

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
	for _, r := range rules {
		all = append(all, Rule{r.id, groups[r.group].class, r.why})
	}
	for _, id := range characterRules {
		all = append(all, Rule{id, trickRules[id].class, trickRules[id].why})
	}
	for _, id := range payloadRules {
		all = append(all, Rule{id.id, id.class, id.why})
	}
	for _, p := range referencePatterns {
		all = append(all, Rule{p.id, ReferencePattern, "one of the nine published patterns"})
	}
	return append(all, Rule{CrossServer, ReferencePattern, "one of the nine published patterns"})
}
