package console

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
)

// maxServers bounds the servers on one page.
const maxServers = 50

// serversPage is the page Servers.
type serversPage struct {
	Text, State string
	States      []string
	Rows        []serverLine
	All, Found  int
	Next        string // the address of the next page, empty at the end
	Sets        int
}

// serverLine is one server in the list.
type serverLine struct {
	serverRow
	At      string
	Offered int
	Grade   string
	Blocked bool // by its last scan
	Used    time.Time
}

// states are how a server can be, in the order of the filter.
var states = []string{"unreachable", "review", "quarantined", "connected", "idle", "disabled"}

func (c *Console) showServers(v *visit) (any, error) {
	go c.rated() // for the page of known servers, to which this one leads
	q := v.r.URL.Query()
	page := &serversPage{Text: strings.TrimSpace(q.Get("text")), State: q.Get("state"), States: states, Sets: len(c.options.Gateway.Compositions())}
	after := q.Get("after")
	all := c.options.Gateway.Servers()
	page.All = len(all)
	for i := range all {
		s := &all[i]
		line := lineOf(s)
		at := strings.ToLower(s.Name() + " " + line.At)
		if page.State != "" && line.Word != page.State || !strings.Contains(at, strings.ToLower(page.Text)) {
			continue
		}
		page.Found++
		switch {
		case s.Name() <= after:
		case len(page.Rows) == maxServers:
			if page.Next == "" {
				page.Next = c.url("servers", "?text", page.Text, "&state", page.State, "&after", page.Rows[maxServers-1].Name)
			}
		default:
			page.Rows = append(page.Rows, line)
		}
	}
	return page, nil
}

func lineOf(s *gateway.Server) serverLine {
	line := serverLine{serverRow: serverRow{Name: s.Name(), Level: s.Risk.Level.String(), Tools: len(s.Tools), Waiting: s.Waiting()}, At: reachedAt(s.Config), Used: s.LastUsed}
	line.Word, line.Class, line.Why = stateOf(s.State, s.Failed, s.Health != nil && s.Health.Connected, line.Waiting)
	for _, t := range s.Tools {
		if len(t.Offered) > 0 {
			line.Offered++
		}
	}
	if s.Scan != nil {
		line.Grade, line.Blocked = s.Scan.Grade, s.Scan.Verdict == "block"
	}
	return line
}

func reachedAt(c upstream.Config) string { return cmp.Or(c.URL, strings.Join(c.Command, " ")) }

// serverPage is everything about one server.
type serverPage struct {
	S       gateway.Server
	Line    serverLine
	Axes    []axis
	Env     []string // NAME=VALUE with references in place of secrets, and headers
	Login   *login
	Changes bool // it can be changed here: the configuration does not own it
	Rows    []gateway.ToolView
	More    int
	Sets    []string // compositions with a tool of it
}

// axis is one line of a risk.
type axis struct{ Name, Why string }

// axesOf returns the reasons of a level, in the order of the rubric.
func axesOf(r gateway.Risk) (all []axis) {
	for _, name := range []string{"transport", "auth", "trust", "doc", "floor"} {
		if why := r.Rationale[name]; why != "" {
			all = append(all, axis{name, why})
		}
	}
	return all
}

// maxServerTools bounds the tools on the page of a server; the drawer has all of them.
const maxServerTools = 60

func (c *Console) upstreamOf(v *visit) (gateway.Server, error) {
	s, err := c.options.Gateway.Server(v.r.Context(), v.part["name"])
	if err != nil {
		return s, refuseVerb(err)
	}
	return s, nil
}

func (c *Console) showServer(v *visit) (any, error) {
	s, err := c.upstreamOf(v)
	if err != nil {
		return nil, err
	}
	page := &serverPage{S: s, Line: lineOf(&s), Axes: axesOf(s.Risk), Login: c.logins.get(s.Name(), v.who.Name), Changes: s.Origin != exposure.ByConfiguration, Rows: s.Tools}
	for _, group := range []struct {
		between string
		values  map[string]string
	}{{"=", s.Config.Env}, {": ", s.Config.Headers}} {
		for name, value := range group.values {
			page.Env = append(page.Env, name+group.between+value)
		}
	}
	slices.Sort(page.Env)
	if len(page.Rows) > maxServerTools {
		page.More = len(page.Rows) - maxServerTools
		page.Rows = page.Rows[:maxServerTools]
	}
	for _, set := range c.options.Gateway.Compositions() {
		if slices.ContainsFunc(set.Members, func(m exposure.Member) bool { return m.Upstream == s.Name() }) {
			page.Sets = append(page.Sets, set.Name)
		}
	}
	v.at.title = s.Name()
	return page, nil
}

// refuseVerb makes what a page says of the error of a verb.
func refuseVerb(err error) error {
	status, title := http.StatusConflict, "That did not work"
	switch gateway.Code(err) {
	case gateway.CodeUnknown:
		status, title = http.StatusNotFound, "There is none of that name"
	case gateway.CodeInput:
		status, title = http.StatusBadRequest, "That makes no sense"
	case gateway.CodeReach:
		status, title = http.StatusBadGateway, "It cannot be reached"
	}
	return refuse(status, title, err.Error(), "")
}

// known are the servers of the catalog.
func (c *Console) known() ([]servers.Entry, error) { return servers.Bundled() }

// named is what the record says of an act on a server.
type named struct {
	Server string `json:"server"`
}

// changeServer does a verb on a server and goes back to its page.
func changeServer[Answer any](c *Console, v *visit, verb string, ask any, said string) (done, error) {
	name := v.part["name"]
	_, err := gateway.Verb[Answer](v.r.Context(), c.options.Gateway, v.who.Name, verb, ask)
	if err != nil {
		err = refuseVerb(err)
	}
	return done{to: pathOf("servers", name), said: said, about: ask}, err
}

func (c *Console) enableServer(v *visit) (done, error) { return c.setState(v, exposure.Enabled) }
func (c *Console) disableServer(v *visit) (done, error) {
	return c.setState(v, exposure.Disabled)
}
func (c *Console) quarantineServer(v *visit) (done, error) {
	return c.setState(v, exposure.Quarantined)
}

func (c *Console) setState(v *visit, to exposure.State) (done, error) {
	return changeServer[gateway.Server](c, v, "state", gateway.NewState{Name: v.part["name"], State: to}, "It is "+string(to)+" now.")
}

func (c *Console) testServer(v *visit) (done, error) {
	return changeServer[gateway.Server](c, v, "test", gateway.Name{Name: v.part["name"]}, "It answers, and has listed its tools.")
}

func (c *Console) removeServer(v *visit) (done, error) {
	result := done{to: "servers", said: "The server was removed.", about: gateway.Removal{Name: v.part["name"], Pins: v.form("pins") != ""}}
	if v.form("sure") != v.part["name"] {
		result.to = pathOf("servers", v.part["name"])
		return result, refuse(http.StatusBadRequest, "Nothing was removed", "Nothing was removed: write the name of the server to remove it.", "")
	}
	if err := c.options.Gateway.Remove(v.r.Context(), v.part["name"], v.form("pins") != ""); err != nil {
		return result, refuseVerb(err)
	}
	return result, nil
}
