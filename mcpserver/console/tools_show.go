package console

import (
	"cmp"
	"context"
	"fmt"
	"html/template"
	"slices"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/lint"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/session"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/risk/poison"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

// toolView is the page of one tool.
type toolView struct {
	tool
	Says       string
	Definition template.HTML
	Findings   []poison.Finding
	More       int // findings that have no room
	Advice     catalog.Problems
	Code       template.HTML
	Signals    []risk.Signal
	Origin     *exposure.Origins
	Hash       string
	Versions   []toolVersion
	Older      int // versions that have no room
	Contents   []content
	Calls      []audit.Entry
	Late       bool // there may be older calls
	CanTry     bool
}

// toolVersion is one step in the history of a tool: of another server's, or the text of
// an own one.
type toolVersion struct {
	gateway.Version
	Now        bool
	Difference template.HTML
}

// content is one content that an own tool was called with.
type content struct {
	Hash        string
	First, Last time.Time
	Calls       int
	Now         bool
}

const (
	// maxFindings bounds the findings that are listed and marked.
	maxFindings = 40
	// maxVersions bounds the steps of a history that are shown, the newest.
	maxVersions = 8
	// maxDifferences is how long what differs may be before older steps are named only, in
	// bytes of the page.
	maxDifferences = 24 << 10
	// maxToolCalls are listed; callsSearched are read for the contents.
	maxToolCalls, callsSearched = 10, 100
	// callsTime bounds the search for them: the page Record goes on.
	callsTime = 40 * time.Millisecond
	// maxCode bounds the code that is shown, in bytes.
	maxCode = 24 << 10
)

func (c *Console) showTool(v *visit) (any, error) {
	t, err := c.toolNamed(v.part["tool"])
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), c.atMost(lookTime))
	defer cancel()
	view := &toolView{tool: t, Says: c.says(&t), CanTry: t.Offered != nil && v.may(session.Manage)}
	view.Findings = c.findings(&t)
	if more := len(view.Findings) - maxFindings; more > 0 {
		view.More, view.Findings = more, view.Findings[:maxFindings]
	}
	definition := c.definition(&t)
	view.Definition = shown.Document(definition, func(pointer string, name bool) (spans []shown.Span) {
		for i, f := range view.Findings {
			if f.Pointer == pointer && (f.Place == "property") == name {
				spans = append(spans, shown.Span{Start: f.Start, End: f.End, Class: f.Confidence.String(), Number: i + 1})
			}
		}
		return spans
	})
	if p, known := t.posture(); known {
		view.Signals = risk.PostureSignals(p)
	}
	if t.Spec != nil {
		view.ofSpec(c)
	}
	if t.Kind == ownTool {
		view.ofOwn(c)
	}
	if t.Wrapped != nil {
		view.ofOther(ctx, c)
	}
	if t.Offered != nil {
		view.Hash = cmp.Or(view.Hash, fmt.Sprintf("%x", t.Offered.About().Hash))
	}
	view.calls(ctx, c)
	v.at.title = shown.Plain(t.Name, 80)
	return view, nil
}

// ofSpec adds what a document says.
func (t *toolView) ofSpec(c *Console) {
	s := t.Spec.Spec
	t.Hash = s.Hash().String()
	t.Advice = append(slices.Clone(t.Spec.Refused), lint.Check(s, nil)...)
	t.Code = shown.Numbered(s.Code(), nil, maxCode)
}

// ofOther adds what is known of another server's tool.
func (t *toolView) ofOther(ctx context.Context, c *Console) {
	origin := t.Wrapped.Origin()
	t.Origin = &origin
	all, err := c.options.Gateway.History(ctx, origin.Upstream, origin.Tool)
	if err != nil {
		return // without pins there is no history
	}
	for _, version := range slices.Backward(all) {
		shownAs := toolVersion{Version: version}
		if version.Before != nil && t.roomForOne() {
			shownAs.Difference = shown.Difference(version.After, version.Before)
		}
		t.add(shownAs)
	}
}

// ofOwn adds the texts that an own spec had.
func (t *toolView) ofOwn(c *Console) {
	all, err := c.options.Revisions(t.Name)
	if err != nil {
		return // the log of the server says why
	}
	for i, r := range slices.Backward(all) {
		v := toolVersion{Now: r.Hash == t.Hash}
		v.Hash, v.Time, v.What = r.Hash, r.At, "changed"
		switch {
		case i == 0:
			v.What = "first"
		case r.Text == "" || all[i-1].Text == "":
			v.Lost = true
		case t.roomForOne():
			v.Difference = shown.Difference([]byte(r.Text), []byte(all[i-1].Text))
		}
		t.add(v)
	}
}

// roomForOne reports whether one more difference fits the page.
func (t *toolView) roomForOne() bool {
	used := 0
	for _, v := range t.Versions {
		used += len(v.Difference)
	}
	return len(t.Versions) < maxVersions && used < maxDifferences
}

func (t *toolView) add(v toolVersion) {
	if len(t.Versions) < maxVersions {
		t.Versions = append(t.Versions, v)
	} else {
		t.Older++
	}
}

// calls adds the last calls, and the contents that they were calls of.
func (t *toolView) calls(ctx context.Context, c *Console) {
	ctx, cancel := context.WithTimeout(ctx, c.atMost(callsTime))
	defer cancel()
	found, err := c.record.Search(ctx, audit.Filter{Tool: t.Name}, callsSearched)
	if err != nil {
		return // Now says what is wrong with the record
	}
	t.Late = found.Late
	now := ""
	if t.Spec != nil {
		now = t.Hash
	}
	for _, e := range found.Entries {
		if len(t.Calls) < maxToolCalls {
			t.Calls = append(t.Calls, e)
		}
		if e.ContentHash == "" || t.Spec == nil {
			continue
		}
		i := slices.IndexFunc(t.Contents, func(k content) bool { return k.Hash == e.ContentHash })
		if i < 0 {
			i = len(t.Contents)
			t.Contents = append(t.Contents, content{Hash: e.ContentHash, Last: e.Time, Now: e.ContentHash == now})
		}
		t.Contents[i].First = e.Time
		t.Contents[i].Calls++
	}
	t.Contents = t.Contents[:min(len(t.Contents), maxVersions)]
}
