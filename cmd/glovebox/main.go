// Command glovebox runs other people's tools in a sealed and metered box.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, forTerminals(os.Stdout), plain{os.Stderr}))
}
