// Package natstest starts NATS servers with JetStream for tests: real ones, on loopback,
// in the test's own process, gone when the test ends.
package natstest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// patience is how long servers may take to start and to find each other, which takes a
// second on an idle machine.
const patience = 2 * time.Minute

// One starts a server and returns when it takes connections. change, which may be nil,
// gets its options before.
func One(t testing.TB, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, NoLog: true, JetStream: true, StoreDir: t.TempDir()}
	if change != nil {
		change(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the NATS server does not start")
	}
	return s
}

// Three starts a cluster of three members and returns when its leader knows all of them.
// Each of change gets the options of each member before.
func Three(t testing.TB, change ...func(*server.Options)) (all []*server.Server) {
	t.Helper()
	var routes []*url.URL
	ports := Ports(t, 3) // each must know the others' before it starts
	for _, port := range ports {
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprint("127.0.0.1:", port)})
	}
	for n, port := range ports {
		all = append(all, One(t, func(o *server.Options) {
			o.ServerName, o.Routes = fmt.Sprint("member", n), routes
			o.Cluster = server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: port}
			for _, c := range change {
				c(o)
			}
		}))
	}
	whole := func(s *server.Server) bool { return s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == 3 }
	for started := time.Now(); !slices.ContainsFunc(all, whole); time.Sleep(10 * time.Millisecond) {
		if time.Since(started) > patience {
			t.Fatal("the three NATS servers do not find each other")
		}
	}
	return all
}

// URL is the addresses of servers, as a client takes them.
func URL(all ...*server.Server) string {
	var urls []string
	for _, s := range all {
		urls = append(urls, s.ClientURL())
	}
	return strings.Join(urls, ",")
}

// Ports returns ports of loopback at which nobody listened a moment ago. They are below
// those that systems hand out, so that no other test gets one of them meanwhile.
func Ports(t testing.TB, n int) (ports []int) {
	t.Helper()
	for tries := 0; len(ports) < n; tries++ {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 10000+rand.IntN(20000)))
		if err != nil && tries < 100 {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}
