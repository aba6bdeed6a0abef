package console

import (
	"context"
	"encoding/json"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/mcpserver/story"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

const (
	// maxOfCall bounds the records of one call: it has one, or two if a person was asked.
	maxOfCall = 5
	// maxTold bounds each text of others within the story, in bytes.
	maxTold = 200
)

// storyPage is everything about one call.
type storyPage struct {
	audit.Entry
	Earlier []audit.Entry // records of the same call from before it ended
	Lines   []storyLine
	Took    time.Duration
	Calls   []hostCall
	Stops   []string
	Whole   template.HTML // the record as JSON
}

type storyLine struct {
	Depth int
	Text  template.HTML
}

type hostCall struct {
	Operation string
	audit.HostCallSum
}

func (c *Console) showStory(v *visit) (any, error) {
	ctx, cancel := context.WithTimeout(v.r.Context(), c.atMost(lookTime))
	defer cancel()
	found, err := c.record.Search(ctx, audit.Filter{ID: v.part["id"]}, maxOfCall)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "The record cannot be read", err.Error(), "glovebox doctor says more.")
	}
	if len(found.Entries) == 0 {
		return nil, refuse(http.StatusNotFound, "No such call", "There is no call with this reference on record.", "It may have been archived: glovebox audit verify says what was.")
	}
	e := found.Entries[0]
	page := &storyPage{Entry: e, Earlier: found.Entries[1:], Took: time.Duration(e.Elapsed), Stops: slices.Sorted(maps.Keys(e.Blocked))}
	slices.Reverse(page.Earlier)
	for _, l := range story.Of(e, func(s string) string { return shown.Cut(s, maxTold) }) {
		page.Lines = append(page.Lines, storyLine{l.Depth, shown.Text(l.Text, shown.Block)})
	}
	for _, op := range slices.Sorted(maps.Keys(e.HostCalls)) {
		page.Calls = append(page.Calls, hostCall{op, e.HostCalls[op]})
	}
	if text, err := json.MarshalIndent(e, "", "  "); err == nil {
		page.Whole = shown.Lines(string(text), shown.Block)
	}
	return page, nil
}
