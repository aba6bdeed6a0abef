package console

import (
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/mcpserver/exposure/ledger"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
)

const (
	maxReviews = 25 // tools on one page
	// maxReviewText bounds what their texts take on the page, in bytes.
	maxReviewText = 90 << 10
	// maxPart is how much of one text of a definition is shown, in bytes.
	maxPart = 4 << 10
)

// reviewPage is what waits for a person's review, or one tool.
type reviewPage struct {
	Name  string
	Tool  string // the page is about this one
	Rows  []reviewRow
	More  int
	Needs bool // something can be accepted
}

type reviewRow struct {
	gateway.Difference
	Parts   []part   // of a definition that nobody has accepted yet
	Changed []change // of one that was
	History []ledger.Step
}

// Waits reports whether it can be accepted.
func (r reviewRow) Waits() bool { return r.Standing == ledger.New || r.Standing == ledger.Changed }

type part struct {
	Name string
	Text template.HTML
}

type change struct {
	Class, Pointer, Why string
	Before, After       template.HTML
}

func (c *Console) showReview(v *visit) (any, error) {
	page := &reviewPage{Name: v.part["name"], Tool: v.r.URL.Query().Get("tool")}
	if _, err := c.upstreamOf(v); err != nil {
		return nil, err
	}
	var tools []string
	if page.Tool != "" {
		tools = []string{page.Tool}
	}
	all, err := c.options.Gateway.Differences(v.r.Context(), page.Name, tools)
	if err != nil {
		return nil, refuseVerb(err)
	}
	room := maxReviewText
	for i, d := range all {
		row := reviewRow{Difference: d}
		if n := len(d.History); page.Tool != "" {
			row.History = d.History[max(n-10, 0):]
		}
		used := row.read()
		if room -= used; i == maxReviews || room < 0 && i > 0 {
			page.More = len(all) - i
			break
		}
		page.Needs = page.Needs || row.Waits()
		page.Rows = append(page.Rows, row)
	}
	v.at.title = "Review of " + page.Name
	return page, nil
}

// read makes what a person reads of a difference, and returns how long it is.
func (r *reviewRow) read() (size int) {
	show := func(text string) template.HTML {
		html := shown.Lines(text, maxPart)
		size += len(html)
		return html
	}
	if r.Before == "" || r.Standing == ledger.Active {
		definition := gjson.Parse(r.After)
		r.Parts = append(r.Parts, part{"description", show(definition.Get("description").String())})
		definition.Get("inputSchema.properties").ForEach(func(name, value gjson.Result) bool {
			if len(r.Parts) < 30 {
				r.Parts = append(r.Parts, part{name.String() + " (" + value.Get("type").String() + ")", show(value.Get("description").String())})
			}
			return true
		})
		if hints := definition.Get("annotations"); hints.Exists() {
			r.Parts = append(r.Parts, part{"annotations", show(hints.Raw)})
		}
	}
	for i, ch := range r.Changes {
		if i == 30 {
			break
		}
		r.Changed = append(r.Changed, change{string(ch.Class), ch.Pointer, ch.Why, show(gateway.TextAt(r.Before, ch.Pointer)), show(gateway.TextAt(r.After, ch.Pointer))})
	}
	return size
}

// acceptTools accepts the definitions that were shown and chosen: each with the hash that
// was on the page.
func (c *Console) acceptTools(v *visit) (done, error) {
	ask := gateway.Approval{Server: v.part["name"]}
	for i := range maxReviews {
		n := strconv.Itoa(i)
		if v.form("accept."+n) == "" {
			continue
		}
		ask.Tools = append(ask.Tools, ledger.Reviewed{Tool: v.form("tool." + n), Hash: v.form("hash." + n), Despite: v.form("despite."+n) != ""})
	}
	if len(ask.Tools) == 0 {
		return done{to: pathOf("servers", ask.Server, "review"), about: ask}, refuse(http.StatusBadRequest, "Nothing was accepted", "Nothing was accepted: choose the tools that you have read.", "")
	}
	result, err := changeServer[gateway.Server](c, v, "approve", ask, fmt.Sprintf("%d accepted.", len(ask.Tools)))
	if err != nil {
		result.to = pathOf("servers", ask.Server, "review")
	}
	return result, err
}

// revokeTool withdraws a tool, whatever its server sends.
func (c *Console) revokeTool(v *visit) (done, error) {
	ask := gateway.Tools{Server: v.part["name"], Tools: []string{v.form("tool")}, Reason: strings.TrimSpace(v.form("reason"))}
	result := done{to: pathOf("servers", ask.Server), said: "It is withdrawn.", about: ask}
	if ask.Reason == "" {
		return result, refuse(http.StatusBadRequest, "Nothing was withdrawn", "Nothing was withdrawn: say why, for the record.", "")
	}
	if err := c.options.Gateway.Revoke(v.r.Context(), ask.Server, ask.Tools, ask.Reason, v.who.Name); err != nil {
		return result, refuseVerb(err)
	}
	return result, nil
}

// forgetTool drops a pin, so that the tool is seen for the first time again.
func (c *Console) forgetTool(v *visit) (done, error) {
	ask := gateway.Tools{Server: v.part["name"], Tools: []string{v.form("tool")}}
	result := done{to: pathOf("servers", ask.Server), said: "It is seen for the first time again.", about: ask}
	if ask.Tools[0] == "" { // would be all of them
		return result, refuse(http.StatusBadRequest, "Nothing was forgotten", "The form names no tool.", "")
	}
	if err := c.options.Gateway.Forget(v.r.Context(), ask.Server, ask.Tools); err != nil {
		return result, refuseVerb(err)
	}
	return result, nil
}
