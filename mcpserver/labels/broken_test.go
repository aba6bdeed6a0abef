package labels_test

import (
	"context"

	"github.com/glovebox-run/glovebox/mcpserver/labels"
	"github.com/glovebox-run/glovebox/risk/live"
)

// away is a keeper whose store cannot be read.
type away struct{ *labels.Memory }

func (*away) Head(context.Context, string) (labels.Head, uint64, error) {
	return labels.Head{}, 0, errAway
}

// full is one that cannot be written.
type full struct{ *labels.Memory }

func (*full) Add(context.Context, string, int, []live.Text) error { return errAway }
