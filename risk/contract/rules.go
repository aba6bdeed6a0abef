package contract

import (
	"fmt"
	"slices"
)

// call is one request together with what the contract knows about it. A rule sees
// nothing else.
type call struct {
	request  *Request
	tool     *Tool     // nil when neither namespace nor connector is registered
	workflow *Workflow // nil when none was named or the name is not registered
	hints    Hints     // effective

	// The three legs of the session rule, from the caller's statements about the
	// session, the tool's factors, and for the last two the open-world hint and
	// the requested mode.
	private, untrusted, exfiltrate bool
}

// rule is one reason for a decision. Its id is the reason code and never
// changes meaning.
type rule struct {
	id       string
	step     int // rules of one step are reported together
	decision Decision
	fires    func(call) bool
	explain  func(call) string
}

// rules is the whole procedure. The lowest step with a rule that fires decides.
// Later rules that fire are reported too, so that the next reason is already known.
var rules = [...]rule{
	{"kill:" /* and the signal */, 1, KillSession, func(c call) bool { return c.request.RuntimeKillSignal != "" }, func(c call) string {
		return fmt.Sprintf("The host raised the kill signal %q.", c.request.RuntimeKillSignal)
	}},
	{"kill:raw_secret_in_tool_argument", 1, KillSession, func(c call) bool { return c.request.ContainsSecret }, say(
		"The arguments of the call hold a raw secret.")},
	{"kill:tool_list_changed_after_approval", 1, KillSession, func(c call) bool { return c.request.ToolListChangedAfterApproval }, say(
		"The server's tool list is not the one that was approved.")},
	{"kill:private_network_or_metadata_ip_destination", 1, KillSession, func(c call) bool { return c.request.PrivateNetworkDestination }, say(
		"The call goes to a private network or to a metadata address.")},

	{"profile_unregistered", 2, Hold, func(c call) bool { return c.tool == nil }, func(c call) string {
		return fmt.Sprintf("The contract knows neither the namespace %q nor the connector %q.", c.request.Namespace, c.request.ConnectorID)
	}},

	{"workflow_unregistered", 3, DenyScope, func(c call) bool { return c.request.WorkflowID != "" && c.workflow == nil }, func(c call) string {
		return fmt.Sprintf("The contract does not know the workflow %q.", c.request.WorkflowID)
	}},
	{"namespace_outside_workflow", 3, DenyScope, func(c call) bool {
		return c.tool != nil && c.workflow != nil && !slices.Contains(c.workflow.Namespaces, c.tool.Namespace)
	}, func(c call) string {
		return fmt.Sprintf("The workflow %q may not use the namespace %q.", c.workflow.ID, c.tool.Namespace)
	}},
	{"access_mode_outside_profile", 3, DenyScope, func(c call) bool {
		mode := c.request.RequestedAccessMode
		return c.tool != nil && mode != "" && !slices.Contains(c.tool.AccessModes, mode)
	}, func(c call) string {
		return fmt.Sprintf("The namespace %q has the access modes %q, not %q.", c.tool.Namespace, c.tool.AccessModes, c.request.RequestedAccessMode)
	}},

	{"read_only_hint_with_non_read_mode", 4, DenyContradiction, func(c call) bool {
		mode := c.request.RequestedAccessMode
		return c.hints.ReadOnly && mode != "" && mode != modeRead
	}, func(c call) string {
		return fmt.Sprintf("The tool calls itself read-only and the call asks for %q.", c.request.RequestedAccessMode)
	}},
	{"read_only_and_destructive_hints", 5, DenyContradiction, func(c call) bool { return c.hints.ReadOnly && c.hints.Destructive }, say(
		"The tool counts as read-only and as destructive at once.")},

	{"untrusted_server_for_sensitive_tool", 6, Hold, func(c call) bool {
		return c.tool != nil && c.tool.Factors.sensitive() && !c.request.ServerTrusted && !c.tool.ServerTrusted
	}, say("The tool is sensitive and nobody vouches for its server.")},

	{"private_untrusted_exfiltration_combination", 7, DenySession, func(c call) bool {
		return c.tool != nil && c.private && c.untrusted && c.exfiltrate && !c.request.Approved
	}, say("The session has private data, untrusted content and a way out, and no approval covers that.")},

	{"approval_present", 8, AllowConfirmed, func(c call) bool { return c.needsApproval() && c.request.Approved }, say(
		"The call needs an approval and brought one.")},
	{"approval_required", 8, Hold, func(c call) bool { return c.needsApproval() && !c.request.Approved }, say(
		"The call writes, destroys or cannot be repeated safely, and no approval came with it.")},

	// The last rule fires when no other does; decide ensures that.
	{"policy_satisfied", 9, Allow, func(call) bool { return false }, say(
		"The call lies within scope and policy.")},
}

func say(sentence string) func(call) string { return func(call) string { return sentence } }

// needsApproval is the condition of step 8. A tool that is not known to be
// idempotent needs an approval even when it only reads.
func (c call) needsApproval() bool {
	return c.tool != nil && (c.tool.Factors.RequiresHumanApproval || c.tool.Factors.DestructiveActionPotential ||
		c.hints.Destructive || !c.hints.Idempotent || writes(c.request.RequestedAccessMode))
}

// match looks up what the contract knows about a request.
func (c *Contract) match(r *Request) call {
	found := call{request: r, hints: c.defaults}
	if r.Namespace != "" {
		found.tool = c.byNamespace[r.Namespace]
	}
	if found.tool == nil && r.ConnectorID != "" {
		found.tool = c.byConnector[r.ConnectorID]
	}
	if r.WorkflowID != "" {
		found.workflow = c.workflows[r.WorkflowID]
	}
	var factors Factors
	if found.tool != nil {
		found.hints = found.tool.Hints
		factors = found.tool.Factors
	}
	found.hints = found.hints.overlay(r.hints)
	found.private = r.SessionReadsPrivateData || factors.ReadsPrivateData
	found.untrusted = r.SessionSeesUntrustedContent || factors.SeesUntrustedContent || found.hints.OpenWorld
	found.exfiltrate = r.SessionCanExfiltrate || factors.CanExfiltrate || writes(r.RequestedAccessMode)
	return found
}

// Decide answers a request in compat mode.
func (c *Contract) Decide(r *Request) Answer {
	a := Answer{contract: c, call: c.match(r)}
	for i := range rules {
		if !rules[i].fires(a.call) {
			continue
		}
		if a.fired == 0 {
			a.Decision, a.step = rules[i].decision, rules[i].step
		}
		a.fired |= 1 << i
	}
	if a.fired == 0 {
		last := len(rules) - 1
		a.Decision, a.step, a.fired = rules[last].decision, rules[last].step, 1<<last
	}
	return a
}
