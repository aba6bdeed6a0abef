//go:build unix

package natstest

import (
	"math/rand/v2"
	"syscall"
	"time"
)

// cut is a network that loses everything.
var cut = Weather{Cut: true}

// Disturb does something to the members or to the links of clients, waits, and puts it
// right again. It returns what kind of thing.
func (a *Apart) Disturb(r *rand.Rand, clients [][3]*Link) (kind string) {
	i, rest := r.IntN(3), time.Duration(200+r.IntN(2500))*time.Millisecond
	j, client := (i+1+r.IntN(2))%3, clients[r.IntN(len(clients))]
	k := 3 - i - j
	slow := Weather{Delay: time.Duration(50+r.IntN(450)) * time.Millisecond}
	slow.Jitter = slow.Delay / 2
	clear := func() {
		a.Between(i, j, Weather{}, Weather{})
		a.Between(i, k, Weather{}, Weather{})
		for _, l := range client {
			l.Set(Weather{}, Weather{})
		}
	}
	kinds := []struct {
		name     string
		do, undo func()
	}{
		{"kill", func() { a.Kill(i) }, func() { a.Start(i) }},
		{"freeze", func() { a.Signal(i, syscall.SIGSTOP) }, func() { a.Signal(i, syscall.SIGCONT) }},
		{"a member cut off from the others", func() { a.Between(i, j, cut, cut); a.Between(i, k, cut, cut) }, clear},
		{"a member that sends and does not hear", func() { a.Between(i, j, Weather{}, cut); a.Between(i, k, Weather{}, cut) }, clear},
		{"two members cut off from each other", func() { a.Between(i, j, cut, cut) }, clear},
		{"members reset", func() { a.Reset(i, j); a.Reset(i, k) }, clear},
		{"members slow", func() { a.Between(i, j, slow, slow); a.Between(i, k, slow, slow) }, clear},
		{"a client cut off", func() {
			for _, l := range client {
				l.Set(cut, cut)
			}
		}, clear},
		{"a client that sends and does not hear", func() {
			for _, l := range client {
				l.Set(Weather{}, cut)
			}
		}, clear},
		{"a client cut off from a member", func() { client[i].Set(cut, cut) }, clear},
		{"a client reset", func() {
			for _, l := range client {
				l.Reset()
			}
		}, clear},
		{"a client slow", func() {
			for _, l := range client {
				l.Set(slow, slow)
			}
		}, clear},
		{"a client with 16 KiB a second", func() {
			narrow := Weather{Rate: 16 << 10}
			for _, l := range client {
				l.Set(narrow, narrow)
			}
		}, clear},
	}
	chosen := kinds[r.IntN(len(kinds))]
	if chosen.name != "kill" && chosen.name != "freeze" {
		rest += time.Duration(r.IntN(12000)) * time.Millisecond // leaders notice after ten seconds
	}
	chosen.do()
	time.Sleep(rest)
	chosen.undo()
	return chosen.name
}
