package natstest

import (
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"
)

// Weather is what becomes of the bytes that go one way through a [Link]. The zero value
// lets them pass.
type Weather struct {
	// Cut holds everything back, without an end or an error, as a network does that
	// loses every packet. What was held back arrives afterwards.
	Cut bool
	// Delay is what every byte takes, and Jitter at most as much again.
	Delay, Jitter time.Duration
	Rate          int  // bytes a second; 0 is any
	Refused       bool // who dials is reset at once; what is connected stays
}

// Link is a network between whoever dials it and an address.
type Link struct {
	to       string
	listener net.Listener

	mu      sync.Mutex
	changed chan struct{} // closed when the weather changes
	there   Weather
	back    Weather
	open    map[*net.TCPConn]bool
	ended   bool
}

// NewLink returns a link to an address, which ends with the test.
func NewLink(t testing.TB, to string) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{to: to, listener: listener, changed: make(chan struct{}), open: map[*net.TCPConn]bool{}}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go l.carry(conn.(*net.TCPConn))
		}
	}()
	t.Cleanup(func() {
		l.mu.Lock()
		l.ended = true
		close(l.changed)
		l.changed = make(chan struct{})
		l.mu.Unlock()
		listener.Close()
		l.Reset()
	})
	return l
}

// Address is where the link is dialled.
func (l *Link) Address() string { return l.listener.Addr().String() }

// Set changes the weather of the bytes of whoever dialled, and of those that come back.
func (l *Link) Set(there, back Weather) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.there, l.back = there, back
	close(l.changed)
	l.changed = make(chan struct{})
}

// Reset breaks every connection off.
func (l *Link) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.open {
		conn.SetLinger(0)
		conn.Close()
	}
}

// weather returns that of one way, when it changes, and whether the link still is.
func (l *Link) weather(there bool) (Weather, <-chan struct{}, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if there {
		return l.there, l.changed, !l.ended
	}
	return l.back, l.changed, !l.ended
}

// through waits until nothing is cut.
func (l *Link) through(there bool) (w Weather, ok bool) {
	for {
		w, changed, ok := l.weather(there)
		if !w.Cut || !ok {
			return w, ok
		}
		<-changed
	}
}

func (l *Link) keep(conn *net.TCPConn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[conn] = !l.ended
	return !l.ended
}

func (l *Link) carry(from *net.TCPConn) {
	defer from.Close()
	w, ok := l.through(true)
	if w.Refused {
		from.SetLinger(0)
	}
	if !ok || w.Refused || !l.keep(from) {
		return
	}
	dialled, err := net.Dial("tcp", l.to)
	if err == nil {
		to := dialled.(*net.TCPConn)
		defer to.Close()
		if l.keep(to) {
			var both sync.WaitGroup
			both.Go(func() { l.pump(to, from, true) })
			both.Go(func() { l.pump(from, to, false) })
			both.Wait()
		}
		l.mu.Lock()
		delete(l.open, to)
		l.mu.Unlock()
	}
	l.mu.Lock()
	delete(l.open, from)
	l.mu.Unlock()
}

// piece is what was read at once.
type piece struct {
	bytes []byte
	due   time.Time
}

// pump carries one way of a connection until either side ends it.
func (l *Link) pump(to, from *net.TCPConn, there bool) {
	pieces := make(chan piece, 64)
	go func() {
		defer close(pieces)
		for {
			buffer := make([]byte, 32<<10)
			n, err := from.Read(buffer)
			if w, _, _ := l.weather(there); n > 0 {
				late := w.Delay
				if w.Jitter > 0 {
					late += rand.N(w.Jitter)
				}
				pieces <- piece{buffer[:n], time.Now().Add(late)}
			}
			if err != nil {
				return
			}
		}
	}()
	defer func() {
		to.Close()
		from.Close()
		for range pieces { // the reader ends
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.due))
		w, ok := l.through(there)
		if !ok {
			return
		}
		if w.Rate > 0 {
			time.Sleep(time.Duration(len(p.bytes)) * time.Second / time.Duration(w.Rate))
		}
		if _, err := to.Write(p.bytes); err != nil {
			return
		}
	}
	l.through(there) // an end is held back as well
}
