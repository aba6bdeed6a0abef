package voice

import "github.com/glovebox-run/glovebox/risk/poison/internal/frame"

// topic counts what a document is about: in one about assistants or attacks an order
// to an assistant is more often reported than given.
type topic struct {
	sentences, model, mention, told, quoted, deeds int
}

func (t *topic) count(s *frame.Sentence) {
	t.sentences++
	for _, n := range [...]struct {
		at *int
		of frame.Set
	}{{&t.model, frame.Of(frame.Model)}, {&t.mention, frame.Of(frame.Mention)}, {&t.told, frame.Of(frame.Told)}, {&t.quoted, frame.Of(frame.Quoted)}, {&t.deeds, frame.Deeds}} {
		if s.Has.Any(n.of) {
			*n.at++
		}
	}
}

// signs adds shares of sentences, in quarters, and how many there are.
func (t *topic) signs(sign func(uint32)) {
	share := func(n int) uint32 { // 0 for none, 1 to 4
		return uint32((4*n + t.sentences - 1) / max(1, t.sentences))
	}
	sign(92 + share(t.model))
	sign(97 + share(t.mention))
	sign(102 + share(t.told))
	sign(107 + share(t.quoted))
	sign(112 + share(t.deeds))
	size := uint32(0)
	for n := t.sentences; n > 1 && size < 5; n /= 2 {
		size++
	}
	sign(117 + size)
}
