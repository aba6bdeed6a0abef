package console

import (
	"cmp"
	"context"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/risk"
	"github.com/glovebox-run/glovebox/runtime/audit"
)

const (
	maxRecords = 50 // on one page
	// maxRecordText bounds what their texts take on a page, in bytes: a text of invisible
	// characters takes twenty times its length.
	maxRecordText = 90 << 10
	// searchTime bounds how long one page looks for a text, which no index knows.
	searchTime = 60 * time.Millisecond
)

// recordQuery is what somebody looks for, as it stands in the address.
type recordQuery struct {
	Tool, Caller, Outcome, Level, Kind, Text string
	Last, From, Until                        string
	Before, After                            string
}

// lasts are the choices of how far back to look.
var lasts = []struct{ Value, Name string }{{"", "any time"}, {"15m", "15 minutes"}, {"1h", "an hour"}, {"24h", "a day"}, {"168h", "a week"}, {"720h", "30 days"}}

func queryOf(get func(string) string) recordQuery {
	return recordQuery{
		Tool: get("tool"), Caller: get("caller"), Outcome: get("outcome"), Level: get("level"), Kind: get("kind"), Text: get("text"),
		Last: get("last"), From: get("from"), Until: get("until"), Before: get("before"), After: get("after"),
	}
}

// values are the parameters that are set.
func (q recordQuery) values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"tool": q.Tool, "caller": q.Caller, "outcome": q.Outcome, "level": q.Level, "kind": q.Kind, "text": q.Text, "last": q.Last, "from": q.From, "until": q.Until, "before": q.Before, "after": q.After} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// Narrow reports whether it selects anything.
func (q recordQuery) Narrow() bool {
	q.Before, q.After = "", ""
	return q != recordQuery{}
}

// minute is how browsers write a moment in a field, in the time of this machine.
const minute = "2006-01-02T15:04"

// filter reads the query.
func (q recordQuery) filter(now time.Time) (f audit.Filter, err error) {
	bad := func(what, value string) error {
		return refuse(http.StatusBadRequest, "This search makes no sense", what+": "+strconv.Quote(shown.Plain(value, shown.Cell)), "Go back and change it.")
	}
	f = audit.Filter{Tool: q.Tool, Caller: q.Caller, Outcome: audit.Outcome(q.Outcome), Level: q.Level, Kind: q.Kind, Text: strings.TrimSpace(q.Text)}
	if !slices.Contains([]audit.Outcome{"", audit.OK, audit.Error, audit.Refused, audit.Asked}, f.Outcome) {
		return f, bad("This is no outcome", q.Outcome)
	}
	if _, err := risk.ParseLevel(q.Level); q.Level != "" && err != nil {
		return f, bad("This is no level", q.Level)
	}
	if q.Last != "" {
		ago, err := time.ParseDuration(q.Last)
		if err != nil {
			return f, bad("This is no duration", q.Last)
		}
		f.Since = now.Add(-ago)
	}
	for _, at := range []struct {
		text string
		to   *time.Time
	}{{q.From, &f.Since}, {q.Until, &f.Until}} {
		if at.text == "" {
			continue
		}
		if *at.to, err = time.ParseInLocation(minute, at.text, time.Local); err != nil {
			return f, bad("This is no time", at.text)
		}
	}
	for _, at := range []struct {
		text string
		to   *uint64
	}{{q.Before, &f.Before}, {q.After, &f.After}} {
		if at.text == "" {
			continue
		}
		if *at.to, err = strconv.ParseUint(at.text, 10, 64); err != nil {
			return f, bad("This is no number of a record", at.text)
		}
	}
	return f, nil
}

// recordPage is the page Record.
type recordPage struct {
	Query  recordQuery
	Lasts  []struct{ Value, Name string }
	Levels []string
	Rows   []recordRow
	// Older and Newer are the addresses of the pages beside this one, empty at an end. Late
	// says that the time for this page was over before the record was.
	Older, Newer string
	Late         bool
	LookedTo     uint64
	Hidden       url.Values // the query, for the form of the export
	Chain        chainView
}

type recordRow struct {
	audit.Entry
	ToolText, CallerText, Why template.HTML
	Took                      time.Duration
}

func (c *Console) showRecord(v *visit) (any, error) {
	query := v.r.URL.Query()
	page := &recordPage{Query: queryOf(query.Get), Lasts: lasts, Levels: []string{"L0", "L1", "L2", "L3", "L4", "L5"}, Chain: c.chain.look(c)}
	filter, err := page.Query.filter(c.options.Now())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(v.r.Context(), c.atMost(searchTime))
	defer cancel()
	if filter.Text == "" {
		ctx = v.r.Context()
	}
	found, err := c.record.Search(ctx, filter, maxRecords)
	if err != nil {
		return nil, refuse(http.StatusServiceUnavailable, "The record cannot be read", err.Error(), "glovebox doctor says more.")
	}
	narrow := page.Query
	narrow.Before, narrow.After = "", ""
	page.Hidden = narrow.values()
	room := maxRecordText
	for _, e := range found.Entries {
		row := recordRow{Entry: e, ToolText: shown.Text(e.Tool, shown.Cell), CallerText: shown.Text(e.Caller, shown.Cell), Why: shown.Text(whyOf(e), shown.Cell), Took: time.Duration(e.Elapsed)}
		if room -= len(row.ToolText) + len(row.CallerText) + len(row.Why); room < 0 {
			found.Next, found.Late = page.Rows[len(page.Rows)-1].Seq, false
			break
		}
		page.Rows = append(page.Rows, row)
	}
	if found.Next != 0 {
		older := page.Query
		older.Before, older.After = strconv.FormatUint(found.Next, 10), ""
		page.Older, page.Late, page.LookedTo = c.url("record")+"?"+older.values().Encode(), found.Late, found.Next
	}
	if filter.Before != 0 {
		newest := page.Query
		newest.Before = ""
		page.Newer = c.url("record")
		if q := newest.values().Encode(); q != "" {
			page.Newer += "?" + q
		}
	}
	return page, nil
}

// whyOf says in a few words why a call ended as it did.
func whyOf(e audit.Entry) string {
	if e.Cause != nil {
		return e.Cause.Message
	}
	return e.Decision
}

// export writes what is looked for as lines of JSON, oldest first, as audit export does.
func (c *Console) export(v *visit) (done, error) {
	query := queryOf(v.form)
	query.Before, query.After = "", ""
	about := struct {
		Filter  url.Values `json:"filter"`
		Records int        `json:"records"`
		Whole   bool       `json:"whole"`
	}{Filter: query.values()}
	filter, err := query.filter(c.options.Now())
	if err != nil {
		return done{about: about}, err
	}
	v.w.Header().Set("Content-Type", "application/jsonl; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="glovebox-record.jsonl"`)
	enc := json.NewEncoder(v.w)
	enc.SetEscapeHTML(false)
	err = c.record.Read(filter, func(e audit.Entry) error {
		if err := cmp.Or(v.r.Context().Err(), enc.Encode(e)); err != nil {
			return err
		}
		about.Records++
		return nil
	})
	about.Whole = err == nil
	return done{about: about, sent: true}, err
}
