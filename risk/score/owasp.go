package score

// OWASPRevision is the edition that ids and titles are taken from. It is a living
// document and its copies number the risks differently, so the title stands beside
// the id.
const OWASPRevision = "OWASP MCP Top 10 2025"

var owaspTitles = map[string]string{
	"MCP01": "Token mismanagement and secret exposure",
	"MCP02": "Privilege escalation via scope creep",
	"MCP03": "Tool poisoning",
	"MCP04": "Supply chain and dependency tampering",
	"MCP05": "Command injection and execution",
	"MCP06": "Prompt injection via contextual payloads",
	"MCP07": "Insufficient authentication and authorization",
	"MCP08": "Lack of audit and telemetry",
	"MCP09": "Shadow MCP servers",
	"MCP10": "Context injection and over-sharing",
}

// owasp writes the ids with their titles.
func owasp(ids ...string) []string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = id + " " + owaspTitles[id]
	}
	return all
}
