// Command glovebox runs other people's tools in a sealed and metered box.
package main

import (
	"os"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

func main() {
	// Where this process is the supervisor of somebody's server, it goes no further.
	process.Main()
	os.Exit(run(os.Args[1:], os.Stdin, forTerminals(os.Stdout), plain{os.Stderr}))
}
