package governed

import (
	"context"
	"encoding/json"
)

// Peer is the client of a call, as the tool may speak to it while it runs. Its methods
// may be called from any goroutine, and fail once the call has ended.
type Peer interface {
	// Request puts requests of the tool's server to the client, such as
	// elicitation/create, all at once where the client's protocol can, and returns a
	// result for each. An error says why there is none, in words that the server may see.
	Request(ctx context.Context, asked ...Asked) ([]json.RawMessage, error)
	// Notify passes on a notification that belongs to the call: notifications/progress
	// or notifications/message. It never waits for the client.
	Notify(method string, params json.RawMessage)
	// Can reports whether the client takes requests of a method.
	Can(method string) bool
}

// Asked is one request of a tool's server to the client of a call. The type has no name
// of its own, so that what passes one on need not know this package.
type Asked = struct {
	// Key is the server's name for it among those that it asks at once; may be empty.
	Key    string
	Method string
	Params json.RawMessage
}
