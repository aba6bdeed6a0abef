package config

import (
	"maps"
	"slices"

	"github.com/glovebox-run/glovebox/mcpserver/notify"
	"github.com/glovebox-run/glovebox/risk"
)

// Notice says who is told about open questions; see
// [github.com/glovebox-run/glovebox/mcpserver/notify.Route].
type Notice struct {
	URL               string
	Format            string
	Template          Path
	Secret            string
	Command           []string
	Desktop           bool
	Link              bool
	Tools, Principals []string
	Level             string
}

// NewNotice returns the defaults of a notice.
func NewNotice() Notice { return Notice{Format: notify.Formats[0], Level: "L0"} }

// Notices lists the settings of a notice, in the order of the file.
var Notices = []Entry[Notice]{
	{Key{Path: "url", Doc: "Where to post it: https, or http on this machine. It may hold ${NAME}, looked up in world.secrets and the environment."}, func(n *Notice) any { return &n.URL }},
	{Key{Path: "format", Choices: notify.Formats, Doc: "The body: `json`, or a message for Slack, Teams or ntfy."}, func(n *Notice) any { return &n.Format }},
	{Key{Path: "template", Doc: "A file that makes the body, a text/template; JSON, or plain text with `format: ntfy`."}, func(n *Notice) any { return &n.Template }},
	{Key{Path: "secret", Doc: "Signs the body as Standard Webhooks do: ${NAME} of the base64 of a key of 24 bytes or more."}, func(n *Notice) any { return &n.Secret }},
	{Key{Path: "command", Doc: "A program and its arguments, run without a shell, with the JSON on its standard input."}, func(n *Notice) any { return &n.Command }},
	{Key{Path: "desktop", Doc: "Show a notification on this machine (notify-send on Linux, osascript on macOS)."}, func(n *Notice) any { return &n.Desktop }},
	{Key{Path: "link", Doc: "Add an address of this server under which whoever has it answers the question, once."}, func(n *Notice) any { return &n.Link }},
	{Key{Path: "tools", Doc: "Only questions about these tools, in patterns where `*` is any text (default all)."}, func(n *Notice) any { return &n.Tools }},
	{Key{Path: "principals", Doc: "Only questions of these principals, in patterns (default all)."}, func(n *Notice) any { return &n.Principals }},
	{Key{Path: "level", Choices: levels, Doc: "Only questions about tools of this level or above."}, func(n *Notice) any { return &n.Level }},
}

// Routes returns whom the file tells about questions.
func (c *Config) Routes() (routes []notify.Route) {
	for _, name := range slices.Sorted(maps.Keys(c.Notices)) {
		n := c.Notices[name]
		level, _ := risk.ParseLevel(n.Level) // a choice, so it is one
		routes = append(routes, notify.Route{
			Name: name, URL: n.URL, Secret: n.Secret, Format: n.Format, Template: string(n.Template), Command: n.Command, Desktop: n.Desktop, Link: n.Link,
			Tools: n.Tools, Principals: n.Principals, Level: level,
		})
	}
	return routes
}
