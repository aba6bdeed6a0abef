package host_test

import (
	"context"
	"fmt"
	"os"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/host/files"
)

// A posture that asks to read files becomes a table with the reading operations
// and nothing else.
func ExampleMint() {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	space, err := files.OpenWorkspace(dir, files.Quota{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer space.Close()

	grants, err := host.Mint(catalog.Posture{FileRead: true}, host.World{Workspace: space})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer grants.Close()
	table := grants.Table()
	account := budget.NewAccount(context.Background(), 1_000_000, 1<<20) // what these calls may spend
	exists, _, err := table.Call(context.Background(), account, "fs.exists", []byte(`{"path":"notes.txt"}`), nil)
	fmt.Printf("%s %v\n", exists, err)
	_, _, err = table.Call(context.Background(), account, "fs.readText", []byte("../secret"), nil)
	fmt.Println(err)
	_, _, err = table.Call(context.Background(), account, "fs.writeText", []byte(`{"path":"x","text":"y"}`), nil)
	fmt.Println(err)
	fmt.Println(grants.Transcript().Blocked)
	// Output:
	// false <nil>
	// [SECURITY] safety.fs: path-escapes-base: "../secret" lies outside of what this tool may read
	// host: no such operation was granted: "fs.writeText"
	// map[fs/path-escapes-base:1]
}
