package catalog_test

import (
	"fmt"

	"github.com/glovebox-run/glovebox/catalog"
)

// A document, what it asks for, what an operator leaves of it, and one call.
func Example() {
	spec, problems := catalog.Parse([]byte(`{
	  "name": "weather", "description": "Looks up the weather of a city.",
	  "params": [{"name": "city", "type": "STRING", "required": true, "testValue": "Seoul"}],
	  "code": "return (await fetch('https://api.weather.example/' + city)).json();",
	  "codeType": "Javascript",
	  "sandboxOverrides": {"networkMode": "strict", "fileWrite": true}
	}`))
	if problems != nil {
		fmt.Println(problems.Err())
		return
	}
	ceiling := catalog.Ceiling{Network: catalog.NetworkAllowlist, Hosts: []string{"*.weather.example"}}
	posture, _, _ := spec.Resolve(catalog.DefaultBaseline(), ceiling, catalog.SourceUser)
	fmt.Println(posture.Network, posture.Hosts, posture.FileWrite)

	arguments, problems := spec.CheckArguments([]byte(`{"town": "Seoul"}`))
	fmt.Println(string(arguments))
	for _, p := range problems {
		fmt.Println(p)
	}
	// Output:
	// allowlist [*.weather.example] false
	//
	// 1:1: error INVALID_ARGUMENT: /city: "city" is required: send a string [argument-missing]
	// 1:2: warning: /town: "town" is not a parameter of this tool and is left out [argument-undeclared]
}
