package rules

// labels are the names under which a widely copied list of nine credential and
// path patterns knows what it finds, and the rules that find it here.
var labels = map[string][]string{
	"AWS_KEY_ID":       {"aws-access-key"},
	"AWS_SECRET":       {"aws-secret-key"},
	"GITHUB_TOKEN":     {"github-token"},
	"GITHUB_APP_TOKEN": {"github-token"},
	"GITHUB_PAT":       {"github-fine-grained-token"},
	"SLACK_TOKEN":      {"slack-bot-token", "slack-user-token", "slack-workspace-token", "slack-legacy-token"},
	"API_TOKEN":        {"named-secret"},
	"API_KEY":          {"named-secret"},
	"PATH":             {"path"},
	"WIN_PATH":         {"path"},
	"STACK_FRAME":      {"stack-frame"},
}

// ByLabel returns the rules for a label of that list, so that a policy written
// with its names can be taken over.
func ByLabel(label string) []string { return labels[label] }
