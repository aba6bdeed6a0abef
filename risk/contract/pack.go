package contract

import "encoding/json"

// pack is an evidence pack as it is written. It uses the published names, so that
// both implementations can read it.
type pack struct {
	SchemaVersion     string              `json:"schema_version"`
	GeneratedAt       string              `json:"generated_at"`
	Intent            string              `json:"intent"`
	Standards         json.RawMessage     `json:"standards_alignment"`
	Terms             json.RawMessage     `json:"tool_risk_contract"`
	RiskTiers         json.RawMessage     `json:"risk_tiers"`
	ControlChecks     json.RawMessage     `json:"control_checks"`
	ResidualRisks     json.RawMessage     `json:"residual_risks"`
	EvaluatorContract packEvaluator       `json:"evaluator_contract"`
	ToolProfiles      []packTool          `json:"tool_profiles"`
	Workflows         []packWorkflow      `json:"workflow_tool_risk"`
	Summary           packSummary         `json:"tool_risk_summary"`
	SourceArtifacts   map[string]artifact `json:"source_artifacts"`
	Failures          []string            `json:"failures"`
}

// artifact identifies one source. The digest covers the text with LF line ends, so a
// checkout on another system gives the same pack.
type artifact struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

type packEvaluator struct {
	AnnotationDefaults hintObject `json:"annotation_defaults"`
	MissingProfile     Decision   `json:"default_decision_for_missing_profile"`
	Rules              []packRule `json:"rules"`
}

// packRule is one row of the procedure, in the order in which it is followed.
type packRule struct {
	Step     int      `json:"step"`
	Reason   string   `json:"reason"`
	Decision Decision `json:"decision"`
}

// hintObject is Hints under MCP's own names.
type hintObject struct {
	ReadOnly    bool `json:"readOnlyHint"`
	Destructive bool `json:"destructiveHint"`
	Idempotent  bool `json:"idempotentHint"`
	OpenWorld   bool `json:"openWorldHint"`
}

type packTool struct {
	ProfileID             string          `json:"tool_profile_id"`
	Namespace             string          `json:"namespace"`
	ConnectorID           string          `json:"connector_id"`
	Title                 string          `json:"title"`
	Status                string          `json:"status"`
	Owner                 json.RawMessage `json:"owner"`
	Transport             json.RawMessage `json:"transport"`
	DeploymentModel       json.RawMessage `json:"deployment_model"`
	TrustTier             json.RawMessage `json:"trust_tier"`
	TrustedServer         bool            `json:"trusted_server"`
	AnnotationSource      string          `json:"annotation_source"`
	AccessModes           []string        `json:"access_modes"`
	DataClasses           []string        `json:"data_classes"`
	ForbiddenOperations   []string        `json:"forbidden_operations"`
	RequiredControls      []string        `json:"required_controls"`
	AuthorizationDecision *string         `json:"authorization_decision"`
	ControlGaps           json.RawMessage `json:"control_gaps"`
	RiskFactors           Factors         `json:"risk_factors"`
	RiskTier              Tier            `json:"risk_tier"`
	SuggestedAnnotations  hintObject      `json:"suggested_annotations"`
	DefaultDecision       Decision        `json:"default_runtime_decision"`
}

type packWorkflow struct {
	WorkflowID     string          `json:"workflow_id"`
	Title          json.RawMessage `json:"title"`
	Status         json.RawMessage `json:"status"`
	MaturityStage  json.RawMessage `json:"maturity_stage"`
	PublicPath     json.RawMessage `json:"public_path"`
	Namespaces     []packContext   `json:"namespaces"`
	Factors        Factors         `json:"aggregate_risk_factors"`
	Lethal         bool            `json:"lethal_combination_possible"`
	SessionDefault Decision        `json:"recommended_session_default"`
	PolicyHash     *string         `json:"gateway_policy_hash"`
}

// packContext is one namespace of a workflow; fields that need a tool row are null
// if the namespace has none.
type packContext struct {
	Namespace            string      `json:"namespace"`
	Access               string      `json:"access"`
	Purpose              string      `json:"purpose"`
	RiskTier             *Tier       `json:"risk_tier"`
	DefaultDecision      *Decision   `json:"default_runtime_decision"`
	SuggestedAnnotations *hintObject `json:"suggested_annotations"`
	TrustedServer        *bool       `json:"trusted_server"`
}

type packSummary struct {
	Tools             int            `json:"tool_profile_count"`
	ByTier            map[string]int `json:"by_risk_tier"`
	ByDefaultDecision map[string]int `json:"by_default_runtime_decision"`
	ByAnnotationTrust map[string]int `json:"by_annotation_source"`
	Workflows         int            `json:"workflow_count"`
	LethalWorkflows   int            `json:"lethal_combination_workflow_count"`
	Failures          int            `json:"failure_count"`
}
