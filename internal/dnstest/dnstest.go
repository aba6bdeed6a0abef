// Package dnstest is a DNS server on loopback for tests of whatever resolves
// names. It answers as the test says, so it can rebind, lie and stall.
package dnstest

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Answer says what the server knows of a name. The zero Answer is a name that
// exists and has no address.
type Answer struct {
	Addrs   []netip.Addr
	Missing bool // NXDOMAIN
	Silent  bool // no reply at all
	Garbage bool // bytes that are no DNS message
}

// Server answers A and AAAA questions.
type Server struct {
	questions atomic.Int64
	conn      net.PacketConn
	answer    func(name string, question int64) Answer
}

// Start runs a server until the test ends. answer is called for each question,
// with the name (no final dot) and a running number; it is called from one
// goroutine.
func Start(t testing.TB, answer func(name string, question int64) Answer) *Server {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{conn: conn, answer: answer}
	done := make(chan struct{})
	go func() { defer close(done); s.serve() }()
	t.Cleanup(func() { conn.Close(); <-done })
	return s
}

// Questions returns how many questions were asked so far.
func (s *Server) Questions() int64 { return s.questions.Load() }

// Resolve asks this server and no other. Its type fits netguard.Resolve.
func (s *Server) Resolve(ctx context.Context, name string) ([]netip.Addr, error) {
	r := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
	return r.LookupNetIP(ctx, "ip", name+".")
}

func (s *Server) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if reply := s.reply(buf[:n]); reply != nil {
			s.conn.WriteTo(reply, from)
		}
	}
}

func (s *Server) reply(query []byte) []byte {
	var p dnsmessage.Parser
	h, err := p.Start(query)
	if err != nil {
		return nil
	}
	q, err := p.Question()
	if err != nil {
		return nil
	}
	a := s.answer(strings.TrimSuffix(q.Name.String(), "."), s.questions.Add(1))
	if a.Silent {
		return nil
	}
	if a.Garbage {
		return []byte("no DNS message")
	}
	m := dnsmessage.Message{Header: dnsmessage.Header{ID: h.ID, Response: true, RecursionAvailable: true}, Questions: []dnsmessage.Question{q}}
	if a.Missing {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, addr := range a.Addrs {
		head := dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET}
		switch {
		case q.Type == dnsmessage.TypeA && addr.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AResource{A: addr.As4()}})
		case q.Type == dnsmessage.TypeAAAA && !addr.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: head, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	packed, err := m.Pack()
	if err != nil {
		return nil
	}
	return packed
}
