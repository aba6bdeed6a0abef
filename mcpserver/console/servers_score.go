package console

import (
	"net/http"

	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/risk/score"
)

const (
	maxFailures = 40 // rules that failed, on the page of a scan
	maxEvidence = 3  // places of each
)

// scorePage is the last scan of a server.
type scorePage struct {
	Name     string
	State    string
	ScanWith string
	Scan     *gateway.Scanned // nil if there was none
	Failing  []failing
	More     int
	Unknown  int
}

type failing struct {
	score.Result
	Places []score.Evidence
	More   int
}

// Ring is how much of the ring is filled: its length is 100.
func (p *scorePage) Ring() int { return min(max(p.Scan.Last.Report.Score, 0), 100) }

// GradeClass colours the ring.
func (p *scorePage) GradeClass() string {
	switch p.Scan.Last.Report.Verdict {
	case score.Block:
		return "bad"
	case score.Allow:
		return "good"
	}
	return "warn"
}

func (c *Console) showScore(v *visit) (any, error) {
	s, err := c.upstreamOf(v)
	if err != nil {
		return nil, err
	}
	page := &scorePage{Name: s.Name(), State: string(s.State), ScanWith: s.ScanWith}
	if page.Scan, err = c.options.Gateway.LastScan(v.r.Context(), s.Name()); err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "The scans cannot be read", err.Error(), "")
	}
	v.at.title = "Score of " + s.Name()
	if page.Scan == nil {
		return page, nil
	}
	r := &page.Scan.Last.Report
	page.Unknown = r.Counts[score.Unknown]
	for i, f := range r.Failing() {
		if i == maxFailures {
			page.More = len(r.Failing()) - i
			break
		}
		page.Failing = append(page.Failing, failing{f, f.Evidence[:min(len(f.Evidence), maxEvidence)], max(len(f.Evidence)-maxEvidence, 0)})
	}
	return page, nil
}

// scanServer scores a server now.
func (c *Console) scanServer(v *visit) (done, error) {
	result, err := changeServer[score.Report](c, v, "scan", gateway.Name{Name: v.part["name"]}, "It was scanned.")
	result.to = pathOf("servers", v.part["name"], "score")
	return result, err
}
