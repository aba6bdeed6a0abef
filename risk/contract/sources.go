package contract

import (
	"encoding/json"
	"fmt"

	"github.com/glovebox-run/glovebox/risk/contract/pyjson"
)

// Source is one input document of [Generate] and its name in the pack.
type Source struct {
	Path string
	Text []byte
}

// Sources are the five documents a contract is generated from. The JSON Schemas in
// the folder schemas describe them.
type Sources struct {
	Profile       Source // intent, standards, defaults of the contract itself
	Connectors    Source // the connector trust pack
	Authorization Source // the authorization conformance pack
	Workflows     Source // the workflow manifest
	Policy        Source // the gateway policy
}

// registered is the content of the sources, checked for shape.
type registered struct {
	profile       node
	connectors    []connectorRow
	authorization map[string]authorizationRow
	workflows     []workflowRow
	policies      map[string]pyjson.Value
	tiers         map[Tier]Decision
	complaints    map[string]bool // of sources that carry failures themselves
	versions      map[string]string
}

type connectorRow struct {
	Connector
	row node
}

type authorizationRow struct {
	decision string
	gaps     json.RawMessage
}

type workflowRow struct {
	id      string
	row     node
	context []contextRow
}

type contextRow struct{ namespace, access, purpose string }

// The names of the sources in a pack.
const (
	profileSource       = "mcp_tool_risk_contract_profile"
	connectorSource     = "mcp_connector_trust_pack"
	authorizationSource = "mcp_authorization_conformance_pack"
	workflowSource      = "workflow_manifest"
	policySource        = "mcp_gateway_policy"
)

func (s Sources) named() map[string]Source {
	return map[string]Source{
		profileSource: s.Profile, connectorSource: s.Connectors, authorizationSource: s.Authorization,
		workflowSource: s.Workflows, policySource: s.Policy,
	}
}

func (s Sources) read() (*registered, error) {
	reg := &registered{complaints: map[string]bool{}, versions: map[string]string{}}
	for _, step := range []struct {
		name string
		from Source
		read func(*registered, node)
	}{
		{profileSource, s.Profile, (*registered).readProfile},
		{connectorSource, s.Connectors, (*registered).readConnectors},
		{authorizationSource, s.Authorization, (*registered).readAuthorization},
		{workflowSource, s.Workflows, (*registered).readWorkflows},
		{policySource, s.Policy, (*registered).readPolicy},
	} {
		root, err := readDocument(step.from.Text)
		if err == nil {
			reg.versions[step.name] = root.member("schema_version").text()
			reg.complaints[step.name] = root.value.Get("failures").Truthy()
			step.read(reg, root)
			err = root.err()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", step.from.Path, err)
		}
	}
	return reg, nil
}

func (reg *registered) readProfile(root node) {
	reg.profile = root
	reg.tiers = map[Tier]Decision{}
	for _, row := range root.member("risk_tiers").objects() {
		tier, known := parseTier(row.member("id").text())
		if !known {
			row.member("id").fail("no such tier")
		}
		decision, err := ParseDecision(row.member("default_decision").text())
		if err != nil {
			row.member("default_decision").fail("%v", err)
		}
		reg.tiers[tier] = decision
	}
	root.member("last_reviewed").name()
	root.member("intent").text()
	root.member("control_checks").objects()
	for _, row := range root.member("standards_alignment").objects() {
		row.member("id").name()
		row.member("url").text()
		row.member("coverage").text()
	}
	terms := root.member("tool_risk_contract")
	terms.member("default_decision").text()
	terms.member("standard_tool_annotations").texts()
	terms.member("required_runtime_attributes").texts()
	readHints(terms.member("standard_annotation_defaults"), hintMembers)
}

func (reg *registered) readConnectors(root node) {
	namespaces, ids := map[string]bool{}, map[string]bool{}
	for _, row := range root.member("connectors").objects() {
		once(row.member("namespace"), namespaces)
		once(row.member("connector_id"), ids)
		reg.connectors = append(reg.connectors, connectorRow{readConnector(row), row})
	}
}

// once reads a name that must be unique.
func once(n node, seen map[string]bool) string {
	name := n.name()
	if seen[name] {
		n.fail("%q is listed twice", name)
	}
	seen[name] = true
	return name
}

func (reg *registered) readAuthorization(root node) {
	reg.authorization = map[string]authorizationRow{}
	seen := map[string]bool{}
	candidates := root.member("candidate_authorization")
	for _, row := range append(root.member("registered_connector_authorization").objects(), candidates.optionalObjects()...) {
		row.member("control_gaps").rows()
		reg.authorization[once(row.member("namespace"), seen)] = authorizationRow{
			decision: row.member("conformance_decision").name(),
			gaps:     row.member("control_gaps").raw(),
		}
	}
}

func (reg *registered) readWorkflows(root node) {
	seen := map[string]bool{}
	for _, row := range root.member("workflows").objects() {
		workflow := workflowRow{id: once(row.member("id"), seen), row: row}
		for _, c := range row.member("mcp_context").objects() {
			workflow.context = append(workflow.context, contextRow{
				namespace: c.member("namespace").name(),
				access:    c.member("access").optionalText(),
				purpose:   c.member("purpose").optionalText(),
			})
		}
		reg.workflows = append(reg.workflows, workflow)
	}
}

func (reg *registered) readPolicy(root node) {
	reg.policies = map[string]pyjson.Value{}
	seen := map[string]bool{}
	for _, row := range root.member("workflow_policies").objects() {
		reg.policies[once(row.member("workflow_id"), seen)] = row.value
	}
}

// raw returns a member as JSON, null when it is absent.
func (n node) raw() json.RawMessage { return n.value.AppendCompact(nil) }
