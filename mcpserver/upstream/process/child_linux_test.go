package process_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
)

var testContext = context.Background()

// child is what the test binary does as a server.
func child(role string) int {
	say := func(what any, err error) int {
		if err != nil {
			fmt.Println("error:", err)
			return 1
		}
		fmt.Println(what)
		return 0
	}
	target := os.Getenv("TEST_TARGET")
	switch role {
	case "keyring":
		return keyringRole()
	case "landlock":
		return landlockRole()
	case "dial": // connects to TEST_TARGET, a network and an address
		network, address, _ := strings.Cut(target, " ")
		c, err := net.DialTimeout(network, address, 5*time.Second)
		if err == nil && network == "udp" {
			_, err = c.Write([]byte("x"))
		}
		return say("connected", err)
	case "loopback": // talks to itself
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			_, err = net.Dial("tcp", l.Addr().String())
		}
		return say("connected", err)
	}
	return 2
}
