package load

import (
	"context"
	"io"
	"net/http"
	"net/url"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Node is what a run cost one server, by its own metrics. What others did there at the same
// time counts, too.
type Node struct {
	URL             string  `json:"url"`
	Processors      float64 `json:"cpuMsPerCall"`    // processor time; calls at all nodes are divided evenly
	Resident        float64 `json:"residentMiB"`     // at the end
	PerSession      float64 `json:"KiBPerSession"`   // resident; 0 if fewer than enough were opened to tell
	PerQuestion     float64 `json:"KiBPerQuestion"`  // likewise
	StoreMessages   float64 `json:"storeMessages"`   // to and from the store, a call
	StoreBytes      float64 `json:"storeBytes"`      // a call
	SessionMessages float64 `json:"sessionMessages"` // to and from the store, an opened session
	QuestionMsgs    float64 `json:"questionMessages"`
	QuestionBytes   float64 `json:"questionBytes"`
}

// enough is how many sessions or questions tell their memory from that of the garbage
// collector's latest turn.
const enough = 1000

// The moments at which nodes are looked at.
const (
	atStart = iota
	withSessions
	withQuestions
	atEnd
	moments
)

// sample is what a server said of itself.
type sample struct{ cpu, resident, messages, bytes float64 }

// nodes are the servers' samples; one that does not show its metrics has none.
type nodes struct {
	clients *clients
	seen    []map[int]sample // by server and moment
}

func newNodes(c *clients) *nodes {
	n := &nodes{clients: c, seen: make([]map[int]sample, len(c.plan.URLs))}
	for i := range n.seen {
		n.seen[i] = map[int]sample{}
	}
	return n
}

func (n *nodes) look(ctx context.Context, moment int) {
	for i, at := range n.clients.plan.URLs {
		if s, ok := n.read(ctx, at); ok {
			n.seen[i][moment] = s
		}
	}
}

// read asks for the metrics, with the token that calls are not made with if agents have
// their own.
func (n *nodes) read(ctx context.Context, at string) (s sample, ok bool) {
	u, err := url.Parse(at)
	if err != nil {
		return s, false
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.ResolveReference(&url.URL{Path: "/metrics"}).String(), nil)
	if err != nil {
		return s, false
	}
	if n.clients.plan.Token != "" {
		r.Header.Set("Authorization", "Bearer "+n.clients.plan.Token)
	}
	response, err := n.clients.http.Do(r)
	if err != nil {
		return s, false
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(io.LimitReader(response.Body, maxAnswer))
	if err != nil || response.StatusCode != http.StatusOK || families["process_cpu_seconds_total"] == nil {
		return s, false
	}
	sum := func(name string) (all float64) {
		for _, m := range families[name].GetMetric() {
			all += m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
		return all
	}
	return sample{sum("process_cpu_seconds_total"), sum("process_resident_memory_bytes"), sum("glovebox_store_messages_total"), sum("glovebox_store_traffic_bytes_total")}, true
}

// costs divides what happened at each server by its share of the calls.
func (n *nodes) costs(calls int) (all []Node) {
	for i, seen := range n.seen {
		if len(seen) < moments {
			continue
		}
		share := func(of int) float64 { return float64(of) / float64(len(n.seen)) }
		a, b, c, d := seen[atStart], seen[withSessions], seen[withQuestions], seen[atEnd]
		node := Node{URL: n.clients.plan.URLs[i], Resident: d.resident / (1 << 20)}
		if each := share(calls); each > 0 {
			node.Processors = (d.cpu - c.cpu) * 1000 / each
			node.StoreMessages, node.StoreBytes = (d.messages-c.messages)/each, (d.bytes-c.bytes)/each
		}
		if each := share(len(n.clients.seats)); each > 0 {
			node.SessionMessages = (b.messages - a.messages) / each
			if each >= enough {
				node.PerSession = (b.resident - a.resident) / 1024 / each
			}
		}
		if each := share(n.clients.plan.Hold); each > 0 {
			node.QuestionMsgs, node.QuestionBytes = (c.messages-b.messages)/each, (c.bytes-b.bytes)/each
			if each >= enough {
				node.PerQuestion = (c.resident - b.resident) / 1024 / each
			}
		}
		all = append(all, node)
	}
	return all
}
