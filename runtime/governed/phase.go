package governed

// Phase is a part of the way of a call, for those who measure it.
type Phase string

const (
	Policy    Phase = "policy"   // whether it may run
	Person    Phase = "person"   // a person is asked, or was before
	Queue     Phase = "queue"    // until it has its turn
	Lend      Phase = "lend"     // of a workspace and what else the tool may use
	Run       Phase = "run"      // of the tool, from its instance to its result
	Sanitise  Phase = "sanitise" // of the result
	Recording Phase = "record"
)

// Phases are all of them, in the order of a call.
var Phases = [...]Phase{Policy, Person, Queue, Lend, Run, Sanitise, Recording}

func (c *call) enters(p Phase) {
	if c.Entered != nil {
		c.Entered(p)
	}
}
