package console

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/console/internal/session"
	"github.com/glovebox-run/glovebox/runtime/audit"
	"github.com/glovebox-run/glovebox/runtime/governed"
)

// page is one address that is read.
type page struct {
	path  string // below the base; {name} is one part of it
	title string
	view  string // its template in assets
	least session.Role
	// nav is its place in the navigation: the name there, or empty.
	nav string
	// topics are the events after which it is fetched again.
	topics string
	show   func(*Console, *visit) (any, error)
}

// section is the page of the navigation that it belongs to.
func (p page) section() string {
	section, _, _ := strings.Cut(p.path, "/")
	if section == "compositions" {
		return "servers"
	}
	return section
}

// pages are all pages, in the order of the navigation.
var pages = []page{
	{path: "now", title: "Now", view: "now", least: session.Look, nav: "Now", topics: topicInbox + " " + topicTick, show: (*Console).showNow},
	{path: "inbox", title: "Inbox", view: "inbox", least: session.Look, nav: "Inbox", topics: topicInbox, show: (*Console).showInbox},
	{path: "tools", title: "Tools", view: "tools", least: session.Look, nav: "Tools", topics: topicTools, show: (*Console).showTools},
	{path: "tools/{tool}", title: "A tool", view: "tools_show", least: session.Look, show: (*Console).showTool},
	{path: "tools/{tool}/try", title: "Try it", view: "try", least: session.Manage, show: (*Console).showTry},
	{path: "write", title: "Write", view: "write", least: session.Manage, nav: "Write", show: (*Console).showWrite},
	{path: "servers", title: "Servers", view: "servers", least: session.Look, nav: "Servers", topics: topicTick, show: (*Console).showServers},
	{path: "servers/add", title: "Add a server", view: "add", least: session.Look, show: (*Console).showAdd},
	{path: "servers/catalog", title: "Known servers", view: "catalog", least: session.Look, show: (*Console).showCatalog},
	{path: "servers/import", title: "Import from clients", view: "import", least: session.Manage, show: (*Console).showImport},
	{path: "servers/{name}", title: "Server", view: "server", least: session.Look, topics: topicTick, show: (*Console).showServer},
	{path: "servers/{name}/review", title: "Review", view: "review", least: session.Look, show: (*Console).showReview},
	{path: "servers/{name}/expose", title: "Expose", view: "expose", least: session.Look, show: (*Console).showExpose},
	{path: "servers/{name}/score", title: "Score", view: "score", least: session.Look, show: (*Console).showScore},
	{path: "compositions", title: "Compositions", view: "compositions", least: session.Look, show: (*Console).showCompositions},
	{path: "compositions/{name}", title: "Composition", view: "composition", least: session.Look, show: (*Console).showComposition},
	{path: "sessions", title: "Sessions", view: "sessions", least: session.Look, nav: "Sessions", topics: topicTick, show: (*Console).showSessions},
	{path: "sessions/{session}", title: "A session", view: "session", least: session.Look, topics: topicTick, show: (*Console).showSession},
	{path: "record", title: "Record", view: "record", least: session.Look, nav: "Record", topics: topicTick, show: (*Console).showRecord},
	{path: "record/{id}", title: "One call", view: "story", least: session.Look, show: (*Console).showStory},
}

// act is something that a person does: one address that takes POST.
type act struct {
	path  string
	name  string // in the record, after "console/"
	least session.Role
	// quiet acts change nothing and are not recorded.
	quiet bool
	do    func(*Console, *visit) (done, error)
}

// done is where a person goes after an act, what they are told, and what the record says
// beside who did it.
type done struct {
	to    string // a path below the base
	said  string
	about any
	sent  bool // it has written the answer itself
}

// acts are everything that people do here.
var acts = []act{
	{path: "leave", name: "sign-out", least: session.Look, do: (*Console).leave},
	{path: "inbox/{id}/approve", name: "approve", least: session.Answer, do: (*Console).approve},
	{path: "inbox/{id}/revoke", name: "revoke", least: session.Answer, do: (*Console).revoke},
	{path: "inbox/rules/{id}/revoke", name: "revoke-rule", least: session.Answer, do: (*Console).revokeRule},
	{path: "inbox/{id}/deny", name: "deny", least: session.Answer, do: (*Console).deny},
	{path: "tools/{tool}/try", name: "try", least: session.Manage, do: (*Console).try},
	{path: "write/check", name: "check", least: session.Manage, quiet: true, do: (*Console).checkWriting},
	{path: "write/save", name: "spec-save", least: session.Manage, do: (*Console).saveWriting},
	{path: "write/pass", name: "spec-pass", least: session.Manage, do: (*Console).passWriting},
	{path: "write/publish", name: "spec-publish", least: session.Manage, do: (*Console).publishWriting},
	{path: "write/cluster", name: "cluster-publish", least: session.Manage, do: (*Console).publishFolder},
	{path: "write/withdraw", name: "cluster-withdraw", least: session.Manage, do: (*Console).withdrawFolder},
	{path: "sessions/reset", name: "session-reset", least: session.Manage, do: (*Console).resetSession},
	{path: "sessions/revoke", name: "session-revoke", least: session.Answer, do: (*Console).revokeLeave},
	{path: "servers/preview", name: "preview", least: session.Look, quiet: true, do: (*Console).previewServer},
	{path: "servers/add", name: "server-add", least: session.Manage, do: (*Console).addServer},
	{path: "servers/import", name: "server-import", least: session.Manage, do: (*Console).importServers},
	{path: "servers/{name}/enable", name: "server-enable", least: session.Manage, do: (*Console).enableServer},
	{path: "servers/{name}/disable", name: "server-disable", least: session.Manage, do: (*Console).disableServer},
	{path: "servers/{name}/quarantine", name: "server-quarantine", least: session.Manage, do: (*Console).quarantineServer},
	{path: "servers/{name}/remove", name: "server-remove", least: session.Manage, do: (*Console).removeServer},
	{path: "servers/{name}/test", name: "server-test", least: session.Manage, do: (*Console).testServer},
	{path: "servers/{name}/scan", name: "server-scan", least: session.Manage, do: (*Console).scanServer},
	{path: "servers/{name}/login", name: "server-login", least: session.Manage, do: (*Console).login},
	{path: "servers/{name}/logout", name: "server-logout", least: session.Manage, do: (*Console).logout},
	{path: "servers/{name}/accept", name: "pin-accept", least: session.Manage, do: (*Console).acceptTools},
	{path: "servers/{name}/revoke", name: "pin-revoke", least: session.Manage, do: (*Console).revokeTool},
	{path: "servers/{name}/forget", name: "pin-forget", least: session.Manage, do: (*Console).forgetTool},
	{path: "servers/{name}/expose", name: "expose", least: session.Manage, do: (*Console).expose},
	{path: "servers/{name}/expose/preview", name: "preview", least: session.Look, quiet: true, do: (*Console).previewExpose},
	{path: "servers/{name}/unexpose", name: "unexpose", least: session.Manage, do: (*Console).unexpose},
	{path: "compositions/create", name: "composition-create", least: session.Manage, do: (*Console).createComposition},
	{path: "compositions/{name}/update", name: "composition-update", least: session.Manage, do: (*Console).updateComposition},
	{path: "compositions/{name}/drop", name: "composition-update", least: session.Manage, do: (*Console).dropFromComposition},
	{path: "compositions/{name}/enable", name: "composition-enable", least: session.Manage, do: (*Console).enableComposition},
	{path: "compositions/{name}/disable", name: "composition-disable", least: session.Manage, do: (*Console).disableComposition},
	{path: "compositions/{name}/delete", name: "composition-delete", least: session.Manage, do: (*Console).deleteComposition},
	{path: "record/export", name: "export", least: session.Look, do: (*Console).export},
}

// visit is one request of a person who is signed in.
type visit struct {
	w    http.ResponseWriter
	r    *http.Request
	who  *session.Session
	at   page
	part map[string]string // of the path, by name

	asked    bool // the questions were read
	open     []approve.Entry
	openErr  error
	openTook time.Duration
}

// questions returns all questions, which one request reads once.
func (v *visit) questions(ctx context.Context, c *Console) ([]approve.Entry, error) {
	if !v.asked {
		began := time.Now()
		v.open, v.openErr = c.options.Desk.List(ctx)
		v.asked, v.openTook = true, time.Since(began)
	}
	return v.open, v.openErr
}

// may reports whether the person may do what needs a role.
func (v *visit) may(r session.Role) bool { return v.who.Role >= r }

// form returns a value of the form.
func (v *visit) form(name string) string { return v.r.PostFormValue(name) }

// match compares a path with a pattern, and returns its named parts.
func match(pattern, path string) (parts map[string]string, ok bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(path, "/")
	if len(want) != len(have) {
		return nil, false
	}
	for i, w := range want {
		switch name, named := strings.CutPrefix(w, "{"); {
		case named && have[i] != "":
			if parts == nil {
				parts = map[string]string{}
			}
			parts[strings.TrimSuffix(name, "}")] = have[i]
		case w != have[i]:
			return nil, false
		}
	}
	return parts, true
}

// route finds what a request is for.
func (c *Console) route(w http.ResponseWriter, r *http.Request, path string, who *session.Session) {
	v := &visit{w: w, r: r, who: who}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		switch path {
		case "":
			http.Redirect(w, r, c.base+pages[0].path, http.StatusSeeOther)
			return
		case "events":
			c.hub.Serve(r.Context(), w, who.Ended())
			return
		}
		for _, p := range pages {
			if parts, ok := match(p.path, path); ok {
				v.at, v.part = p, parts
				c.read(v)
				return
			}
		}
	case http.MethodPost:
		for _, a := range acts {
			if parts, ok := match(a.path, path); ok {
				v.part = parts
				c.act(v, a)
				return
			}
		}
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		c.trouble(v, &failure{http.StatusMethodNotAllowed, problem{"Nothing to do here", "The console knows no such request.", ""}})
		return
	}
	c.trouble(v, &failure{http.StatusNotFound, problem{"Nothing here", "There is no such page.", ""}})
}

// read shows a page.
func (c *Console) read(v *visit) {
	if !v.may(v.at.least) {
		c.trouble(v, notAllowed(v, v.at.least))
		return
	}
	data, err := v.at.show(c, v)
	if err != nil {
		c.trouble(v, failed(err))
		return
	}
	c.render(v.w, http.StatusOK, v.at.view, c.layout(v, data))
}

func notAllowed(v *visit, least session.Role) *failure {
	do := "Ask for a link with that role: glovebox console --role " + least.String()
	if v.who.Issuer != "" {
		do = "Ask at " + v.who.Issuer + " for what gives that role here, and sign in again."
	}
	return &failure{http.StatusForbidden, problem{"Not with this role",
		"You are signed in as " + v.who.Name + " and may " + v.who.Role.String() + "; this needs the role " + least.String() + ".", do}}
}

// act does something for a person, records it, and sends them on.
func (c *Console) act(v *visit, a act) {
	if err := v.r.ParseForm(); err != nil {
		c.trouble(v, &failure{http.StatusRequestEntityTooLarge, problem{"Too large", "The form cannot be read: " + err.Error(), ""}})
		return
	}
	switch {
	case !v.who.Genuine(v.form("token")):
		c.trouble(v, &failure{http.StatusForbidden, problem{"Not from this page", "The form is not of this session.", "Load the page again and repeat it."}})
		return
	case !v.may(a.least):
		f := notAllowed(v, a.least)
		_ = c.note(v.who.Name, a.name, nil, f) // it is refused either way
		c.trouble(v, f)
		return
	}
	if err := c.options.Record.Failed(); err != nil {
		c.trouble(v, &failure{http.StatusServiceUnavailable, problem{"Nothing can be recorded", "So nothing is done: " + err.Error(), "glovebox doctor says why."}})
		return
	}
	result, err := a.do(c, v)
	if a.quiet {
		switch {
		case err != nil:
			c.trouble(v, failed(err))
		case !result.sent:
			http.Redirect(v.w, v.r, c.base+result.to, http.StatusSeeOther)
		}
		return
	}
	if late := c.note(v.who.Name, a.name, result.about, err); late != nil {
		c.options.Log.Error("console.unrecorded", "act", a.name, "by", v.who.Name, "cause", late)
	}
	if result.sent {
		return
	}
	if err != nil {
		f := failed(err)
		if result.to == "" {
			c.trouble(v, f)
			return
		}
		v.who.Say(session.Note{Bad: true, Text: strings.TrimSpace(f.What + " " + f.Do)})
	} else if result.said != "" {
		v.who.Say(session.Note{Text: result.said})
	}
	if result.to == "left" {
		page := c.page("Signed out")
		page.Leave = place{Name: v.who.Issuer, Path: v.who.Leave}
		c.render(v.w, http.StatusOK, "problem", laidOut{page, problem{"Signed out", "Your session is over.", ""}})
		return
	}
	http.Redirect(v.w, v.r, c.base+result.to, http.StatusSeeOther)
}

// recordedAs is the source of acts in the record.
const recordedAs = "console"

// note records what a person did.
func (c *Console) note(who, name string, about any, failed error) error {
	text, err := jsonOf(about)
	if err != nil {
		return err
	}
	r := audit.Record{
		Time: c.options.Now(), ID: governed.NewID(), ToolID: recordedAs, Tool: recordedAs + "/" + name, Category: "operator",
		Decision: "done by a person", Caller: who, Parameters: text, Outcome: audit.OK,
	}
	if failed != nil {
		r.Outcome, r.Cause = audit.Error, &audit.Cause{Kind: "console", Message: failed.Error()}
	}
	_, err = c.options.Record.Append(r)
	return err
}

// hour and day are used in texts.
const (
	hour = time.Hour
	day  = 24 * time.Hour
)
