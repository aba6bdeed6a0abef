package jsengine_test

import (
	"context"
	"fmt"
	"log"

	"github.com/glovebox-run/glovebox/jsengine"
)

func Example() {
	ctx := context.Background()
	engine, err := jsengine.Open(ctx, jsengine.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer engine.Close()

	image, err := engine.Image(ctx, jsengine.Program{
		File:  "greet.js",
		Body:  "if (!name) throw new TypeError('whom?');\nreturn { greeting: `Hello, ${name}!` };",
		Names: []string{"name"},
	})
	if err != nil {
		log.Fatal(err) // a *jsengine.Failure when the code is to blame
	}
	for _, arguments := range []string{`{"name":"Ada"}`, `{}`} {
		out := image.Call(ctx, jsengine.Call{Arguments: []byte(arguments)})
		if out.Failure != nil {
			fmt.Println(out.Failure)
			fmt.Println(out.Failure.Stack)
			continue
		}
		fmt.Println(string(out.Result))
	}
	// Output:
	// {"greeting":"Hello, Ada!"}
	// exception: TypeError: whom?
	// at <anonymous> (greet.js:1:18)
}
