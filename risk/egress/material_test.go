package egress

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/glovebox-run/glovebox/risk/egress/internal/automaton"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// filler returns n random characters, the same for the same seed.
func filler(random *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(b)
}

func fillerBase62(seed, n int) string {
	return filler(rand.New(rand.NewPCG(uint64(seed), 7)), base62, n)
}

func automatonOf(patterns []string) *automaton.Automaton { return automaton.Build(patterns, false) }

// cleanJSON is a tool result of about size bytes as tools return them: records
// with prose, identifiers, hashes, links and numbers, and no secret.
func cleanJSON(size int) []byte {
	random := rand.New(rand.NewPCG(42, 42))
	words := strings.Fields("the issue was opened after a deployment of the service and closed once key metrics such as latency and token usage came back to normal for every account in the region")
	var b strings.Builder
	b.WriteString(`{"items":[`)
	for i := 0; b.Len() < size; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		var prose strings.Builder
		for range 40 {
			prose.WriteString(words[random.IntN(len(words))])
			prose.WriteByte(' ')
		}
		hex := filler(random, "0123456789abcdef", 40)
		fmt.Fprintf(&b, `{"id":%d,"node_id":"%s","sha":"%s","title":"%s","body":"%s\nSee \"%s\".","html_url":"https://api.example.com/repos/acme/widgets/issues/%d","next_page_token":"%s","created_at":"2026-03-0%dT12:00:00Z","labels":["bug","help wanted"],"score":%.3f,"open":true,"assignee":null}`,
			i, filler(random, base62, 20), hex, prose.String()[:40], prose.String(), words[i%len(words)], i, filler(random, base62, 24), 1+i%9, random.Float64())
	}
	b.WriteString(`]}`)
	return []byte(b.String())
}
