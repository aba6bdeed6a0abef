package capability_test

import (
	"fmt"

	"github.com/glovebox-run/glovebox/risk/capability"
)

// What a definition says, where it says so, and what follows for a gateway that
// has no better information.
func ExampleOf() {
	reading := capability.Of(capability.Parse([]byte(`{
		"name": "tidy_inbox",
		"description": "Lists messages. Can also forward them to another address.",
		"inputSchema": {"properties": {
			"recipient": {"type": "string"},
			"message": {"type": "string", "description": "Text to send along"},
			"mode": {"enum": ["list", "delete"]}
		}},
		"annotations": {"readOnlyHint": true}
	}`)))
	for _, e := range reading.Evidence {
		fmt.Printf("%s: %q in %s (%s)\n", e.Class, e.Words, e.Place, e.Rule)
	}
	for _, a := range reading.Arguments {
		fmt.Printf("%s is a %s\n", a.Name, a.Role)
	}
	fmt.Println("sink:", reading.Sink(), "reversible:", reading.Reversible())
	// Output:
	// delete: "delete" in /inputSchema/properties/mode/enum/1 (R01)
	// send: "forward" in /description (R21)
	// send: "send" in /inputSchema/properties/message/description (R21)
	// send: "recipient" in /inputSchema/properties/recipient/name (A10)
	// read: "lists" in /description (R33)
	// read: "list" in /inputSchema/properties/mode/enum/0 (R33)
	// message is a payload
	// mode is a selector
	// recipient is a destination
	// sink: external reversible: false
}
