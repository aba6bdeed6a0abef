package contract

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/glovebox-run/glovebox/risk/contract/pyjson"
)

// Contract is the basis for deciding requests. It is read once and never changes.
type Contract struct {
	GeneratedAt string            // as stated in the file; may be empty
	Failures    int               // reported by the generator; they do not block decisions
	Digest      [sha256.Size]byte // SHA-256 of the file's bytes

	digest      string // Digest as an answer spells it
	defaults    Hints
	byNamespace map[string]*Tool
	byConnector map[string]*Tool
	workflows   map[string]*Workflow
}

// Tool is one row of the contract. It covers everything reached through one
// namespace, which may be several tools.
type Tool struct {
	Namespace     string   `json:"namespace"`
	ConnectorID   string   `json:"connector_id"`
	AccessModes   []string `json:"access_modes"`
	ServerTrusted bool     `json:"server_trusted"`
	Factors       Factors  `json:"factors"`
	Hints         Hints    `json:"suggested_hints"`
	Tier          Tier     `json:"risk_tier"`
}

// Workflow is one row of the contract: what a workflow may reach.
type Workflow struct {
	ID         string   `json:"workflow_id"`
	Namespaces []string `json:"namespaces"`
}

// names are the member names of one published shape of a contract.
type names struct {
	tools, factors, hints, trusted string
	workflows                      string
	hintMembers                    [4]string
}

// exchangeFormat marks the compact shape; packs carry a schema version instead.
const (
	exchangeFormat = "tool-risk-contract-input/1"
	schemaVersion  = "1.0"
)

var (
	packNames = names{tools: "tool_profiles", factors: "risk_factors", hints: "suggested_annotations", trusted: "trusted_server",
		workflows: "workflow_tool_risk", hintMembers: hintMembers}
	exchangeNames = names{tools: "tools", factors: "factors", hints: "suggested_hints", trusted: "server_trusted",
		workflows: "workflows", hintMembers: [4]string{"read_only", "destructive", "idempotent", "open_world"}}
)

// Parse reads a contract: an evidence pack as [Generate] writes it, or the
// compact exchange shape. It ignores members that do not affect a decision. A row
// that lacks a deciding member is an error, and so is a duplicate name.
func Parse(data []byte) (*Contract, error) {
	root, err := readDocument(data)
	if err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	sum := sha256.Sum256(data)
	c := &Contract{
		Digest:      sum,
		digest:      digestText(sum),
		defaults:    defaultHints,
		byNamespace: map[string]*Tool{},
		byConnector: map[string]*Tool{},
		workflows:   map[string]*Workflow{},
	}
	shape, defaults := packNames, root.member("evaluator_contract").member("annotation_defaults")
	switch {
	case root.value.Get("format").Text == exchangeFormat:
		shape, defaults = exchangeNames, root.member("hint_defaults")
		c.GeneratedAt = root.member("source").member("generated_at").optionalText()
	case root.value.Get("schema_version").Text == schemaVersion:
		c.GeneratedAt = root.member("generated_at").optionalText()
		if failures := root.value.Get("failures"); failures.Truthy() {
			c.Failures = max(1, len(failures.Items))
		}
	default:
		return nil, fmt.Errorf("contract: want an evidence pack with schema_version %q, or format %q", schemaVersion, exchangeFormat)
	}
	if defaults.value.Kind != pyjson.Null {
		c.defaults = readHints(defaults, shape.hintMembers)
	}
	c.readTools(root.member(shape.tools), shape)
	c.readWorkflows(root.member(shape.workflows))
	if err := root.err(); err != nil {
		return nil, fmt.Errorf("contract: %w", err)
	}
	return c, nil
}

// Tools returns the rows of all tools, by namespace.
func (c *Contract) Tools() []Tool {
	var all []Tool
	for _, namespace := range slices.Sorted(maps.Keys(c.byNamespace)) {
		all = append(all, *c.byNamespace[namespace])
	}
	return all
}

// Workflows returns the rows of all workflows, by id.
func (c *Contract) Workflows() []Workflow {
	var all []Workflow
	for _, id := range slices.Sorted(maps.Keys(c.workflows)) {
		all = append(all, *c.workflows[id])
	}
	return all
}

func (c *Contract) readTools(list node, shape names) {
	for _, row := range list.objects() {
		tool := &Tool{
			Namespace:     row.member("namespace").name(),
			ConnectorID:   row.member("connector_id").name(),
			AccessModes:   row.member("access_modes").texts(),
			ServerTrusted: row.member(shape.trusted).bool(),
			Factors:       readFactors(row.member(shape.factors)),
			Hints:         readHints(row.member(shape.hints), shape.hintMembers),
		}
		var known bool
		if tool.Tier, known = parseTier(row.member("risk_tier").text()); !known {
			row.member("risk_tier").fail("no such tier")
		}
		if c.byNamespace[tool.Namespace] != nil {
			row.member("namespace").fail("%q is registered twice", tool.Namespace)
		}
		if c.byConnector[tool.ConnectorID] != nil {
			row.member("connector_id").fail("%q is registered twice", tool.ConnectorID)
		}
		c.byNamespace[tool.Namespace], c.byConnector[tool.ConnectorID] = tool, tool
	}
}

func (c *Contract) readWorkflows(list node) {
	for _, row := range list.objects() {
		workflow := &Workflow{ID: row.member("workflow_id").name()}
		for _, n := range row.member("namespaces").objects() {
			workflow.Namespaces = append(workflow.Namespaces, n.member("namespace").name())
		}
		if c.workflows[workflow.ID] != nil {
			row.member("workflow_id").fail("%q is registered twice", workflow.ID)
		}
		c.workflows[workflow.ID] = workflow
	}
}

func readHints(n node, members [4]string) Hints {
	var h Hints
	for i, field := range h.fields() {
		*field = n.member(members[i]).bool()
	}
	return h
}

func readFactors(n node) Factors {
	return Factors{
		CanExfiltrate:              n.member("can_exfiltrate").bool(),
		DestructiveActionPotential: n.member("destructive_action_potential").bool(),
		ReadsPrivateData:           n.member("reads_private_data").bool(),
		RequiresHumanApproval:      n.member("requires_human_approval").bool(),
		SeesUntrustedContent:       n.member("sees_untrusted_content").bool(),
		WritesState:                n.member("writes_state").bool(),
	}
}
