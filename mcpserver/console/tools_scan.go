package console

import (
	"sync"

	"github.com/glovebox-run/glovebox/risk/poison"
)

// summary is what a scan found in a definition.
type summary struct {
	Findings int
	Worst    poison.Confidence
}

// Class is how the finding is shown.
func (s summary) Class() string {
	if s.Findings == 0 {
		return "good"
	}
	return map[poison.Confidence]string{poison.Low: "off", poison.Medium: "warn", poison.High: "bad"}[s.Worst]
}

// maxScans bounds the definitions whose summary is kept, some 60 bytes each.
const maxScans = 100_000

// scans are the summaries of the definitions, by the hash of the version. A scan takes
// from a tenth of a millisecond to some, so ten thousand are no work for a page: they
// are made one after the other behind it.
type scans struct {
	mu      sync.Mutex
	found   map[[32]byte]summary
	running bool
}

func (s *scans) known(hash [32]byte) (summary, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, known := s.found[hash]
	return found, known
}

// look returns how many of the tools were scanned, and has the others scanned.
func (s *scans) look(c *Console, all []tool) (scanned int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil || len(s.found) > maxScans {
		s.found = map[[32]byte]summary{}
	}
	var left []tool
	for i := range all {
		if _, known := s.found[all[i].hash()]; known {
			scanned++
		} else {
			left = append(left, all[i])
		}
	}
	if len(left) > 0 && !s.running {
		s.running = true
		go s.run(c, left)
	}
	return scanned
}

// run scans tools, and tells pages when it is through, and now and then before.
func (s *scans) run(c *Console, left []tool) {
	const tellEvery = 500
	for i := range left {
		if c.working.Err() != nil {
			break
		}
		found := c.scan(&left[i])
		s.mu.Lock()
		s.found[left[i].hash()] = found
		s.mu.Unlock()
		if i%tellEvery == tellEvery-1 {
			c.hub.Tell(topicTools)
		}
	}
	s.mu.Lock()
	s.running = false
	s.mu.Unlock()
	c.hub.Tell(topicTools)
}

func (c *Console) scan(t *tool) (found summary) {
	for _, f := range c.findings(t) {
		found.Findings++
		found.Worst = max(found.Worst, f.Confidence)
	}
	return found
}

// findings are the passages of a definition that read like orders to the model.
func (c *Console) findings(t *tool) []poison.Finding {
	report, err := poison.Scan(c.definition(t), nil)
	if err != nil { // no JSON; nothing is offered that is none
		return nil
	}
	return report.Findings
}
