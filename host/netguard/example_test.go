package netguard_test

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/glovebox-run/glovebox/host/netguard"
)

// What needs no look-up to be refused is refused at once, whatever the spelling.
func ExampleGuard_CheckURL() {
	guard := &netguard.Guard{Resolve: netguard.SystemResolve, Dial: netguard.SystemDial, Hosts: netguard.AnyHost()}
	for _, raw := range []string{"https://example.com/", "http://127.1/", "http://[::ffff:169.254.169.254]/", "http://example.com:25/", "ftp://example.com/"} {
		u, err := url.Parse(raw)
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = guard.CheckURL(u)
		var refused *netguard.Refusal
		if errors.As(err, &refused) {
			fmt.Println(refused.Reason)
		} else {
			fmt.Println("passed")
		}
	}
	// Output:
	// passed
	// literal-private-ip
	// literal-private-ip
	// port-not-allowed
	// unsupported-scheme
}
