package natstest

import (
	"fmt"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
)

// Apart is a cluster of three members, each a process of its own, that reach one another
// and are reached through links alone.
type Apart struct {
	t       testing.TB
	start   func(args ...string) *exec.Cmd
	dirs    [3]string
	clients [3]int // ports
	routes  [3]int
	links   [3][3]*Link // from member to member
	running [3]*exec.Cmd
}

// NewApart starts the members. start makes the command of a process that passes its
// arguments to [RunMember].
func NewApart(t testing.TB, start func(args ...string) *exec.Cmd) *Apart {
	t.Helper()
	a := &Apart{t: t, start: start}
	ports := Ports(t, 6)
	for i := range a.dirs {
		a.dirs[i], a.clients[i], a.routes[i] = t.TempDir(), ports[i], ports[3+i]
	}
	for from := range a.links {
		for to := range a.links {
			if from != to {
				a.links[from][to] = NewLink(t, fmt.Sprint("127.0.0.1:", a.routes[to]))
			}
		}
	}
	t.Cleanup(func() {
		for i := range a.running {
			a.Kill(i)
		}
	})
	for i := range a.running {
		a.Start(i)
	}
	return a
}

// Start starts a member that does not run.
func (a *Apart) Start(i int) {
	args := []string{fmt.Sprint(i), a.dirs[i], fmt.Sprint(a.clients[i]), fmt.Sprint(a.routes[i])}
	for _, link := range a.links[i] {
		if link != nil {
			args = append(args, link.Address())
		}
	}
	a.running[i] = a.start(args...)
	if err := a.running[i].Start(); err != nil {
		a.t.Error(err)
	}
}

// Kill ends a member with a signal that it does not see.
func (a *Apart) Kill(i int) {
	if a.running[i].Process != nil {
		a.running[i].Process.Kill()
		a.running[i].Wait()
	}
}

// Signal freezes and thaws a member.
func (a *Apart) Signal(i int, s syscall.Signal) { a.running[i].Process.Signal(s) }

// Between sets the weather from one member to another and back, whoever of them dialled.
func (a *Apart) Between(from, to int, there, back Weather) {
	a.links[from][to].Set(there, back)
	a.links[to][from].Set(back, there)
}

// Reset breaks the connections of two members off.
func (a *Apart) Reset(one, other int) {
	a.links[one][other].Reset()
	a.links[other][one].Reset()
}

// Links returns new links to all members, for one client, and their addresses.
func (a *Apart) Links() (links [3]*Link, address string) {
	var all []string
	for i, port := range a.clients {
		links[i] = NewLink(a.t, fmt.Sprint("127.0.0.1:", port))
		all = append(all, "nats://"+links[i].Address())
	}
	return links, strings.Join(all, ",")
}

// Direct returns the addresses of the members, past every link.
func (a *Apart) Direct() (all [3]string) {
	for i, port := range a.clients {
		all[i] = fmt.Sprint("nats://127.0.0.1:", port)
	}
	return all
}

// RunMember is one member until it is killed: index, folder, the ports of clients and of
// routes, and the addresses of the others.
func RunMember(args []string) error {
	var index, clients, routes int
	if _, err := fmt.Sscan(args[0]+" "+args[2]+" "+args[3], &index, &clients, &routes); err != nil {
		return err
	}
	o := &server.Options{
		ServerName: fmt.Sprint("member", index), Host: "127.0.0.1", Port: clients, NoSigs: true, NoLog: true, JetStream: true, StoreDir: args[1], SyncAlways: true,
		// Nobody is told of an address that leads past the links.
		Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: routes, NoAdvertise: true, Advertise: "127.0.0.1:1"},
	}
	for _, address := range args[4:] {
		o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: address})
	}
	s, err := server.NewServer(o)
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}
