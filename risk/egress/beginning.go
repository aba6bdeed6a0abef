package egress

import (
	"bytes"

	"github.com/glovebox-run/glovebox/risk/egress/internal/finder"
	"github.com/glovebox-run/glovebox/risk/egress/internal/jsonwalk"
)

// Sizes in bytes.
const (
	// KeptBeginning is how much of what [Sanitiser.Beginning] returns may be kept. What
	// follows may end with half of a secret.
	KeptBeginning = 1 << 10

	// looked is how much of a long JSON text Beginning looks at: what is kept, what a find
	// in there may depend on, and as much for what is removed.
	looked = 2 * finder.Reach
)

// Beginning cleans the beginning of a long JSON text, for a record that keeps its first
// [KeptBeginning] bytes: these are as if the whole text had been cleaned. It returns JSON
// and whether that is the whole text, as [Sanitiser.Bytes] returns it.
func (s *Sanitiser) Beginning(session *Session, at Place, text []byte) (clean []byte, whole bool) {
	if len(text) > looked && !s.policy.exceeds(len(text)) && !s.policy.blocksFindings() {
		if clean := s.beginning(session, at, text); clean != nil {
			return clean, false
		}
	}
	clean, _ = s.Bytes(session, at, text)
	return clean, true
}

// beginning returns nil when what is kept may depend on more than it has looked at.
func (s *Sanitiser) beginning(session *Session, at Place, text []byte) []byte {
	if session.known.longest() > finder.Reach {
		return nil
	}
	cut, ok := jsonwalk.Cut(text, looked)
	if !ok || !bytes.Equal(session.known.JSON(cut), cut) {
		return nil
	}
	hits := finder.NewSweep(s.engine.finder, s.policy.wants).Any(cut, 0)
	from := KeptBeginning // of the text as it came, for what is kept
	for _, h := range hits {
		from += h.End - h.Start
	}
	if from+finder.Reach > len(cut) {
		return nil
	}
	return s.rewrite(session, at, cut, hits, &Outcome{}, &growth{})
}
