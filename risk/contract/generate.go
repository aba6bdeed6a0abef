package contract

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Generate makes an evidence pack from the sources: one row for each connector,
// one for each workflow, the digests of all five sources, and the checks that
// failed, which it also returns. The date defaults to the profile's last_reviewed;
// the same sources and date give the same bytes.
//
// An error means that a source could not be read and there is no pack.
func Generate(s Sources, date string) (text []byte, failures []string, err error) {
	reg, err := s.read()
	if err != nil {
		return nil, nil, err
	}
	if date == "" {
		date = reg.profile.value.Get("last_reviewed").Text
	}
	p := pack{
		SchemaVersion: schemaVersion,
		GeneratedAt:   date,
		Intent:        reg.profile.value.Get("intent").Text,
		Standards:     reg.profile.member("standards_alignment").raw(),
		Terms:         reg.profile.member("tool_risk_contract").raw(),
		RiskTiers:     reg.profile.member("risk_tiers").raw(),
		ControlChecks: reg.profile.member("control_checks").raw(),
		ResidualRisks: reg.profile.member("residual_risks").raw(),
		EvaluatorContract: packEvaluator{
			AnnotationDefaults: hintObject(defaultHints),
			MissingProfile:     Hold,
		},
		ToolProfiles:    []packTool{},
		Workflows:       []packWorkflow{},
		SourceArtifacts: map[string]artifact{},
		Failures:        reg.failures(),
	}
	for i := range rules {
		p.EvaluatorContract.Rules = append(p.EvaluatorContract.Rules, packRule{rules[i].step, rules[i].id, rules[i].decision})
	}
	tools := map[string]packTool{}
	for _, c := range reg.connectors {
		tool := reg.tool(c)
		tools[tool.Namespace] = tool
		p.ToolProfiles = append(p.ToolProfiles, tool)
	}
	slices.SortFunc(p.ToolProfiles, func(a, b packTool) int { return cmp.Compare(a.Namespace, b.Namespace) })
	for _, w := range reg.workflows {
		p.Workflows = append(p.Workflows, reg.workflow(w, tools))
	}
	for name, source := range s.named() {
		p.SourceArtifacts[name] = artifact{source.Path, textDigest(source.Text)}
	}
	p.Summary = p.summarise()
	text, err = p.write()
	return text, p.Failures, err
}

func (reg *registered) tool(c connectorRow) packTool {
	score := c.Score()
	tool := packTool{
		ProfileID:            "mcp-tool-risk::" + c.Namespace,
		Namespace:            c.Namespace,
		ConnectorID:          c.ID,
		Title:                c.Title,
		Status:               c.Status,
		Owner:                c.row.member("owner").raw(),
		Transport:            c.row.member("transport").raw(),
		DeploymentModel:      c.row.member("deployment_model").raw(),
		TrustTier:            c.row.member("trust_tier").raw(),
		TrustedServer:        score.ServerTrusted,
		AnnotationSource:     score.AnnotationSource,
		AccessModes:          score.AccessModes,
		DataClasses:          c.DataClasses,
		ForbiddenOperations:  c.ForbiddenOperations,
		RequiredControls:     sortedSet(c.RequiredControls),
		ControlGaps:          json.RawMessage("[]"),
		RiskFactors:          score.Factors,
		RiskTier:             score.RiskTier,
		SuggestedAnnotations: hintObject(score.SuggestedHints),
		DefaultDecision:      reg.tiers[score.RiskTier], // absent: Hold
	}
	if score.Factors.DestructiveActionPotential {
		tool.DefaultDecision = Hold
	}
	if authorization, known := reg.authorization[c.Namespace]; known {
		tool.AuthorizationDecision, tool.ControlGaps = &authorization.decision, authorization.gaps
	}
	return tool
}

func (reg *registered) workflow(w workflowRow, tools map[string]packTool) packWorkflow {
	row := packWorkflow{
		WorkflowID:    w.id,
		Title:         w.row.member("title").raw(),
		Status:        w.row.member("status").raw(),
		MaturityStage: w.row.member("maturity_stage").raw(),
		PublicPath:    w.row.member("public_path").raw(),
		Namespaces:    []packContext{},
	}
	for _, c := range w.context {
		context := packContext{Namespace: c.namespace, Access: c.access, Purpose: c.purpose}
		if tool, known := tools[c.namespace]; known {
			row.Factors = row.Factors.or(tool.RiskFactors)
			context.RiskTier, context.DefaultDecision = &tool.RiskTier, &tool.DefaultDecision
			context.SuggestedAnnotations, context.TrustedServer = &tool.SuggestedAnnotations, &tool.TrustedServer
		}
		row.Namespaces = append(row.Namespaces, context)
	}
	row.Lethal, row.SessionDefault = row.Factors.trifecta(), sessionDefault(row.Factors)
	if policy, known := reg.policies[w.id]; known {
		sum := sha256.Sum256(policy.AppendCompact(nil))
		hash := hex.EncodeToString(sum[:])
		row.PolicyHash = &hash
	}
	return row
}

// sessionDefault returns the decision that a report recommends for a workflow's
// sessions. No decision depends on it.
func sessionDefault(f Factors) Decision {
	if f.trifecta() {
		return DenySession
	}
	return AllowConfirmed
}

func (p *pack) summarise() packSummary {
	s := packSummary{
		Tools: len(p.ToolProfiles), Workflows: len(p.Workflows), Failures: len(p.Failures),
		ByTier: map[string]int{}, ByDefaultDecision: map[string]int{}, ByAnnotationTrust: map[string]int{},
	}
	for _, tool := range p.ToolProfiles {
		s.ByTier[tool.RiskTier.String()]++
		s.ByDefaultDecision[tool.DefaultDecision.String()]++
		s.ByAnnotationTrust[tool.AnnotationSource]++
	}
	for _, w := range p.Workflows {
		if w.Lethal {
			s.LethalWorkflows++
		}
	}
	return s
}

// write encodes the pack in its only form: sorted names, two spaces, a final newline.
func (p *pack) write() ([]byte, error) {
	raw, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	text := jsontext.Value(raw)
	if err := text.Format(jsontext.ReorderRawObjects(true), jsontext.WithIndent("  ")); err != nil {
		return nil, err
	}
	return append(text, '\n'), nil
}

// textDigest returns the digest of a text with its line ends converted to LF.
func textDigest(text []byte) string {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	sum := sha256.Sum256(bytes.ReplaceAll(text, []byte("\r"), []byte("\n")))
	return hex.EncodeToString(sum[:])
}
