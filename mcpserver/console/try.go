package console

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver"
	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/form"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/session"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/shown"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// trial is a call that a person made, or wanted to make, from the page Try it.
type trial struct {
	ID        string
	At        time.Time
	Tool      string // its key
	values    url.Values
	Problems  []form.Problem // of the form; nothing was called then
	Arguments json.RawMessage
	mcpserver.Tried
}

const (
	// maxTrials bounds what is kept of one session.
	maxTrials = 10
	// maxTrialBytes bounds what is kept of one result.
	maxTrialBytes = 256 << 10
)

// trials are the last trials of each session. They are in memory: the record keeps the
// calls.
type trials struct {
	mu sync.Mutex
	of map[*session.Session][]*trial
}

func (t *trials) add(who *session.Session, one *trial) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[*session.Session][]*trial{}
	}
	for s := range t.of {
		select {
		case <-s.Ended():
			delete(t.of, s)
		default:
		}
	}
	all := append(t.of[who], one)
	t.of[who] = all[max(0, len(all)-maxTrials):]
}

// last returns the trials of a tool, the newest first.
func (t *trials) last(who *session.Session, tool string) (all []*trial) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, one := range slices.Backward(t.of[who]) {
		if one.Tool == tool {
			all = append(all, one)
		}
	}
	return all
}

// tryView is the page Try it.
type tryView struct {
	tool
	Says     string
	Form     *form.Form
	Run      *trial
	Before   []*trial
	Result   template.HTML
	Sent     template.HTML
	Asked    *approve.Entry // the question that has to be answered first
	Failure  *governed.Failure
	Logs     []logLine
	MoreLogs int
}

// logLine is one line of a tool's console.
type logLine struct {
	Level string
	Text  template.HTML
}

// maxLogs bounds the lines of a console that are shown, and logBytes all of them together.
const maxLogs, logBytes = 100, 16 << 10

func (c *Console) showTry(v *visit) (any, error) {
	t, err := c.toolNamed(v.part["tool"])
	if err != nil {
		return nil, err
	}
	if t.Offered == nil {
		return nil, refuse(http.StatusConflict, "Not served", "Only tools that are served can be tried. This one is not: "+t.Why, "Write runs the Local Pass of a spec.")
	}
	view := &tryView{tool: t, Says: c.says(&t), Before: c.trials.last(v.who, t.Key)}
	if run := v.r.URL.Query().Get("run"); run != "" {
		if i := slices.IndexFunc(view.Before, func(one *trial) bool { return one.ID == run }); i >= 0 {
			view.Run = view.Before[i]
		}
	}
	values := url.Values(nil)
	if view.Run != nil {
		values = view.Run.values
		view.Sent = shown.JSON(view.Run.Arguments, nil)
		if r := view.Run.Result; r != nil {
			view.Failure = r.Failure
			view.Result = resultShown(r.Value, t.Kind == otherTool)
			ink := shown.NewInk(logBytes)
			for _, l := range r.Logs[:min(len(r.Logs), maxLogs)] {
				view.Logs = append(view.Logs, logLine{l.Level, ink.Lines(l.Text, shown.Block)})
			}
			view.MoreLogs = len(r.Logs) - len(view.Logs)
		}
		if view.Run.Question != "" {
			if e, err := c.options.Desk.Show(v.r.Context(), view.Run.Question); err == nil {
				view.Asked = &e
			}
		}
	}
	view.Form = form.Of(json.RawMessage(gjson.GetBytes(c.definition(&t), "inputSchema").Raw), values, c.testValues(&t))
	v.at.title = "Try " + shown.Plain(t.Name, 80)
	return view, nil
}

// testValues are what the author of a spec tests it with, by the names of the form.
func (c *Console) testValues(t *tool) map[string]string {
	if t.Spec == nil {
		return nil
	}
	values := map[string]string{}
	for _, p := range t.Spec.Spec.Params() {
		if p.TestValue != nil {
			values["/"+pointerStep.Replace(p.Name)] = *p.TestValue
		}
	}
	return values
}

// pointerStep writes a step of a JSON pointer (RFC 6901).
var pointerStep = strings.NewReplacer("~", "~0", "/", "~1")

// maxContents bounds the contents of a result that are shown.
const maxContents = 50

// kept is what a form is filled with again: nothing if it is too much to keep.
func kept(values url.Values) url.Values {
	if len(values.Encode()) > maxTrialBytes {
		return url.Values{}
	}
	return values
}

// resultShown shows what a tool returned; a result of the protocol by its contents.
func resultShown(value json.RawMessage, ofProtocol bool) template.HTML {
	v := gjson.ParseBytes(value)
	if texts := v.Get("content"); ofProtocol && texts.IsArray() && !v.Get("structuredContent").Exists() {
		var b strings.Builder
		ink := shown.NewInk(4 * shown.Block)
		for i, part := range texts.Array() {
			if i == maxContents {
				b.WriteString(`<p class="cut">… and more</p>`)
				break
			}
			text := part.Get("text").String()
			if part.Get("type").String() != "text" {
				text = part.Raw
			}
			b.WriteString("<pre>" + string(ink.Lines(text, 2*shown.Block)) + "</pre>")
		}
		return template.HTML(b.String()) // of Lines
	}
	if v.Type == gjson.String {
		return "<pre>" + shown.Lines(v.Str, shown.Block) + "</pre>"
	}
	if len(value) == 0 {
		return `<p class="dim">It returned nothing.</p>`
	}
	return shown.JSON(value, nil)
}

// try calls a tool for the person.
func (c *Console) try(v *visit) (done, error) {
	key := v.part["tool"]
	result := done{to: "tools/" + url.PathEscape(key) + "/try"}
	t, err := c.toolNamed(key)
	if err != nil {
		return done{}, err
	}
	if t.Offered == nil {
		return result, refuse(http.StatusConflict, "Not served", "It is not served, so it cannot be tried: "+t.Why, "")
	}
	one := &trial{ID: governed.NewID(), At: c.options.Now(), Tool: key, values: kept(v.r.PostForm)}
	result.to += "?run=" + one.ID
	f := form.Of(json.RawMessage(gjson.GetBytes(c.definition(&t), "inputSchema").Raw), nil, nil)
	one.Arguments, one.Problems = f.Arguments(v.r.PostForm)
	defer c.trials.add(v.who, one)
	about := struct {
		Tool     string `json:"tool"`
		Source   string `json:"source"`
		Call     string `json:"call,omitempty"` // its record has arguments, decision and outcome
		Approved string `json:"approved,omitempty"`
	}{t.Name, t.Source, "", ""}
	if len(one.Problems) > 0 {
		result.about = about
		return result, refuse(http.StatusBadRequest, "Not called", "Nothing was called: the form has problems.", "")
	}
	if id := v.form("yes"); id != "" {
		if err := c.options.Desk.Resolve(v.r.Context(), id, approve.Resolution{Approve: true, By: v.who.Name, First: true, Note: "by the person who made the call"}); err != nil {
			return result, refuse(http.StatusConflict, "Not approved", "The question cannot be answered: "+err.Error(), "Run it again, which asks again.")
		}
		about.Approved = id
	}
	one.Tried = c.options.Call(v.r.Context(), mcpserver.Trial{By: v.who.Name, Tool: t.Offered, Arguments: one.Arguments})
	about.Call = one.Result.ID
	if len(one.Result.Value) > maxTrialBytes {
		one.Result.Value, _ = json.Marshal(string(one.Result.Value[:maxTrialBytes]) + "… cut") // a string cannot fail
	}
	result.about = about
	return result, nil
}
