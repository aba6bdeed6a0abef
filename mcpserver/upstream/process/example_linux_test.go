package process_test

import (
	"context"
	"fmt"
	"io"

	"github.com/glovebox-run/glovebox/mcpserver/upstream/process"
)

// supervisor is what process.Main returned at the beginning of main.
func ExampleSupervisor_Start() {
	p, err := supervisor.Start(context.Background(), process.Config{Name: "echo", Command: []string{"cat"}, Sandbox: process.FilesAndNetwork})
	if err != nil {
		fmt.Println(err)
		return
	}
	io.WriteString(p.Stdin(), "hello")
	p.Stdin().Close()
	answer, _ := io.ReadAll(p.Stdout())
	fmt.Printf("%s; %v\n", answer, p.Close())
	// Output: hello; exited with status 0
}
