package store_test

import (
	"fmt"
	"net/url"

	"github.com/nats-io/nats-server/v2/server"
)

// memberOf tells this program to run as a member of a cluster of three.
const memberOf = "GLOVEBOX_TEST_MEMBER" // index, folder, and the ports of clients and of routes

// runMember is a member until it is killed.
func runMember(said string) error {
	var index int
	var dir string
	var ports [6]int
	if _, err := fmt.Sscan(said, &index, &dir, &ports[0], &ports[1], &ports[2], &ports[3], &ports[4], &ports[5]); err != nil {
		return err
	}
	o := &server.Options{
		ServerName: fmt.Sprint("member", index), Host: "127.0.0.1", Port: ports[index], NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir, SyncAlways: true,
		Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: ports[3+index]},
	}
	for _, port := range ports[3:] {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: fmt.Sprint("127.0.0.1:", port)})
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}
