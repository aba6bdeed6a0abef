package console

import (
	"context"
	"sync"
	"time"

	"github.com/glovebox-run/glovebox/runtime/audit"
)

const (
	// chainStep is how much of the record is verified at once, in bytes: some 80 ms of one
	// processor. As long a rest follows.
	chainStep = 16 << 20
	// chainFresh is how long what was found holds before a page has it looked at again.
	chainFresh = 2 * time.Second
	// chainAgain is how long records that were verified are not read again unless their
	// file has changed.
	chainAgain = time.Hour
	// keptTime bounds how long checkpoints that are kept elsewhere are waited for.
	keptTime = 10 * time.Second
	// maxDefects are shown; glovebox audit verify prints all.
	maxDefects = 20
)

// chain verifies the record in the background while people look: first all of it, then what
// is added. No page waits for it.
type chain struct {
	follower *audit.Follower

	mu      sync.Mutex
	running bool
	seen    chainView
}

// chainView is what a page says about the chain.
type chainView struct {
	audit.Checked
	Err error     // why it could not be read
	At  time.Time // of the last look; zero before the first has ended
	// Sound is when the whole chain was found without a defect.
	Sound time.Time
	// Shown are the first defects.
	Shown []audit.Defect
}

// State says it in a word, with the class of the chip.
func (v chainView) State() (word, class string) {
	switch {
	case v.Err != nil:
		return "not read", "bad"
	case len(v.Defects) > 0:
		return "broken", "bad"
	case v.Whole:
		return "whole", "good"
	}
	return "being checked", "off"
}

// Word and Class are the two of [chainView.State], for templates.
func (v chainView) Word() string  { word, _ := v.State(); return word }
func (v chainView) Class() string { _, class := v.State(); return class }

func newChain(c *Console) *chain {
	var known func() (map[string][]byte, error)
	if c.options.Kept != nil {
		known = func() (map[string][]byte, error) {
			ctx, cancel := context.WithTimeout(c.working, keptTime)
			defer cancel()
			return c.options.Kept(ctx)
		}
	}
	return &chain{follower: audit.NewFollower(c.options.Chain, chainAgain, known, c.options.Now)}
}

// look returns what is known, and has the rest verified in the background.
func (k *chain) look(c *Console) chainView {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.running && c.options.Now().Sub(k.seen.At) > chainFresh {
		k.running = true
		go k.verify(c)
	}
	return k.seen
}

// verify reads on until everything was read.
func (k *chain) verify(c *Console) {
	for {
		began := time.Now()
		checked, err := k.follower.Step(chainStep)
		now := c.options.Now()
		k.mu.Lock()
		seen := chainView{Checked: checked, Err: err, At: now, Sound: k.seen.Sound, Shown: checked.Defects[:min(len(checked.Defects), maxDefects)]}
		if checked.Whole && len(checked.Defects) == 0 && err == nil {
			seen.Sound = now
		}
		k.seen, k.running = seen, err == nil && !checked.Whole
		running := k.running
		k.mu.Unlock()
		if !running {
			return
		}
		select {
		case <-c.working.Done():
			return
		case <-time.After(time.Since(began)):
		}
	}
}
