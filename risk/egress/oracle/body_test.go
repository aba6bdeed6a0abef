package oracle

import (
	"math/rand/v2"
	"strings"

	"github.com/glovebox-run/glovebox/internal/samples"
)

func seeded() *rand.Rand { return rand.New(rand.NewPCG(20, 26)) }

// bodies are three kinds of what tools return, none with a secret in it: records
// of an API as JSON, lines of a log, and look-alikes in a list, which is the
// hardest: every other text names a key, token or password.
func bodies(size int) []struct{ name, text string } {
	random := seeded()
	var records, lines []string
	for n := 0; n < size; {
		record := samples.Fill(random, `{"id":{[1-9][0-9]{6}},"node_id":"{[A-Za-z0-9]{20}}","sha":"{[0-9a-f]{40}}","title":"Deployment of the service to {[a-z]{6}}","body":"The issue was opened after a deployment and closed once key metrics such as latency and token usage came back to normal.","html_url":"https://api.acme.test/repos/{[a-z]{6}}/issues/{[0-9]{4}}","next_page_token":"{[A-Za-z0-9]{24}}","created_at":"2026-03-0{[1-9]}T12:00:00Z","labels":["bug","help wanted"],"open":true,"assignee":null}`)
		records = append(records, record)
		n += len(record)
	}
	for n := 0; n < size; {
		line := samples.Fill(random, `2026-02-03T04:{[0-5][0-9]}:{[0-5][0-9]}.{[0-9]{3}}Z INFO  [worker-{[0-9]}] com.acme.orders.OrderService - order {[0-9]{8}} accepted, key=items/{[0-9]{4}} took {[0-9]{2}} ms trace={[0-9a-f]{32}}`)
		lines = append(lines, line)
		n += len(line)
	}
	var texts []string
	for n := 0; n < size; {
		for _, x := range samples.Benign(random, 1) {
			texts = append(texts, x.Text)
			n += len(x.Text)
		}
	}
	return []struct{ name, text string }{
		{"clean JSON", "[" + strings.Join(records, ",") + "]"},
		{"log", strings.Join(lines, "\n")},
		{"look-alikes", samples.JSON(map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Join(texts, "\n")}}, "items": texts})},
	}
}
