package relay

import (
	"context"
	"encoding/json"

	"github.com/glovebox-run/glovebox/runtime/governed"
)

// Source is what one other server offers beside its tools. The zero fields offer
// nothing. A Source does not change; another one takes its place.
type Source struct {
	// Name is the name of the server; [governed.About.Source] of its tools.
	Name string
	// Resources have their URI as key, Templates their URI template, Prompts their name.
	Resources, Templates, Prompts []Entry
	// Read, Get and Complete make the requests resources/read, prompts/get and
	// completion/complete as governed calls. Their arguments are the params without
	// _meta, their value is the complete result object.
	Read, Get, Complete governed.Tool
	// Subscribe asks the server to tell of changes of a resource, until Unsubscribe.
	// Both are nil for a server without subscriptions.
	Subscribe, Unsubscribe func(ctx context.Context, uri string) error
	// LogLevel asks for log messages of a level and above; nil for a server without.
	LogLevel func(ctx context.Context, level string) error
}

// Entry is one definition, as the server sent it.
type Entry struct {
	Key    string
	Listed json.RawMessage
}
