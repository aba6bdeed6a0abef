package console

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/upstream"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/signin"
)

// addPage is the form for a new server.
type addPage struct {
	Form    addForm
	Preview *addPreview
	Entry   *servers.Entry // the known server that it began with
}

// addForm are the fields as somebody wrote them.
type addForm struct {
	From, Name, Kind, URL, Command, Env, Headers    string
	Auth, ClientID, ClientSecret, Scopes, Sandbox   string
	Private, Trust, Cosmetic, Withhold, Quarantined bool
}

// addPreview is how risky it would be to add it.
type addPreview struct {
	Err  error
	Risk gateway.Risk
	Axes []axis
	Host string
}

func addFormOf(get func(string) string) addForm {
	return addForm{
		From: get("from"), Name: strings.TrimSpace(get("name")), Kind: cmp.Or(get("kind"), upstream.HTTP), URL: strings.TrimSpace(get("url")), Command: get("command"), Env: get("env"), Headers: get("headers"),
		Auth: get("auth"), ClientID: strings.TrimSpace(get("client_id")), ClientSecret: strings.TrimSpace(get("client_secret")), Scopes: get("scopes"), Sandbox: get("sandbox"),
		Private: get("private") != "", Trust: get("trust") != "", Cosmetic: get("cosmetic") != "", Withhold: get("withhold") != "", Quarantined: get("quarantined") != "",
	}
}

// lines splits a field into its lines, without empty ones.
func lines(text string) (all []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			all = append(all, line)
		}
	}
	return all
}

// registration reads the form.
func (f addForm) registration() (exposure.Registration, error) {
	r := exposure.Registration{Config: upstream.Config{Name: f.Name, Kind: f.Kind, AllowPrivate: f.Private}, Origin: exposure.ByCommand, State: exposure.Enabled, Entry: f.From}
	if f.From != "" {
		r.Origin = exposure.ByCatalog
	}
	if f.Quarantined {
		r.State = exposure.Quarantined
	}
	if f.Trust {
		r.Policy.FirstSight = exposure.Trust
	}
	if f.Cosmetic {
		r.Policy.Cosmetic = exposure.PassCosmetic
	}
	if f.Withhold {
		r.Policy.PoisonedResults = exposure.Withhold
	}
	c := &r.Config
	var env, headers []string
	switch f.Kind {
	case upstream.Stdio:
		c.Command, c.Sandbox, env = lines(f.Command), f.Sandbox, lines(f.Env)
		c.AllowPrivate = false
	case upstream.HTTP, upstream.SSE:
		c.URL, headers = f.URL, lines(f.Headers)
		if f.Auth == signin.Code || f.Auth == signin.ClientCredentials {
			c.Auth = signin.Config{Grant: f.Auth, ClientID: f.ClientID, ClientSecret: f.ClientSecret, Scopes: strings.Fields(f.Scopes)}
		}
	default:
		return r, refuse(http.StatusBadRequest, "Nothing was added", "There is no kind of server of that name.", "")
	}
	if err := gateway.Pairs(c, env, headers); err != nil {
		return r, err
	}
	return r, c.Check()
}

// preview scores the form as it stands. Nothing is reached or kept.
func (c *Console) preview(f addForm) (*addPreview, error) {
	known, err := c.known()
	if err != nil {
		return nil, err
	}
	if f.Name == "" {
		f.Name = "preview"
	}
	r, err := f.registration()
	if err != nil && f.URL == "" && strings.TrimSpace(f.Command) == "" {
		return nil, nil
	}
	if err != nil {
		return &addPreview{Err: &gateway.BadInput{Err: err}}, nil
	}
	risk := gateway.Preview(r, known, c.options.Now())
	return &addPreview{Risk: risk, Axes: axesOf(risk)}, nil
}

func (c *Console) showAdd(v *visit) (any, error) {
	page := &addPage{Form: addFormOf(v.r.URL.Query().Get)}
	known, err := c.known()
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(known, func(e servers.Entry) bool { return e.ID == page.Form.From }); i >= 0 {
		page.Entry = &known[i]
		page.Form = fromEntry(known[i])
	}
	page.Preview, err = c.preview(page.Form)
	return page, err
}

// fromEntry fills the form in. Placeholders of the URL are left for the person.
func fromEntry(e servers.Entry) addForm {
	f := addForm{From: e.ID, Name: e.ID}
	r := exposure.Registration{}
	values := map[string]string{}
	for rest := e.Transports[0].URL; ; {
		_, after, found := strings.Cut(rest, "{")
		name, left, closed := strings.Cut(after, "}")
		if !found || !closed {
			break
		}
		values[name], rest = strings.ToUpper(name), left
	}
	env, headers, err := gateway.FromCatalog(e, &r, values, nil, nil)
	if err != nil {
		return f
	}
	f.Kind, f.URL, f.Command = r.Config.Kind, r.Config.URL, strings.Join(r.Config.Command, "\n")
	f.Env, f.Headers = strings.Join(env, "\n"), strings.Join(headers, "\n")
	if strings.HasPrefix(e.Transports[0].Auth, "oauth") {
		f.Auth = signin.Code
	}
	return f
}

// previewServer shows the form again with what it would be.
func (c *Console) previewServer(v *visit) (done, error) {
	page := &addPage{Form: addFormOf(v.form)}
	var err error
	if page.Preview, err = c.preview(page.Form); err != nil {
		return done{}, err
	}
	return done{sent: true}, c.again(v, "servers/add", page)
}

// again renders a page from within an act that changes nothing.
func (c *Console) again(v *visit, path string, data any) error {
	i := slices.IndexFunc(pages, func(p page) bool { return p.path == path })
	v.at = pages[i]
	c.render(v.w, http.StatusOK, v.at.view, c.layout(v, data))
	return nil
}

func (c *Console) addServer(v *visit) (done, error) {
	f := addFormOf(v.form)
	result := done{to: pathOf("servers", f.Name), said: "It was added. Nothing was reached yet.", about: struct {
		Server string `json:"server"`
		At     string `json:"at"`
	}{f.Name, cmp.Or(f.URL, f.Command)}}
	r, err := f.registration()
	if err == nil {
		_, err = gateway.Verb[gateway.Server](v.r.Context(), c.options.Gateway, v.who.Name, "add", r)
	}
	if err != nil {
		result.to = ""
		return result, refuse(http.StatusBadRequest, "Nothing was added", (&gateway.BadInput{Err: err}).Error(), "Go back, and what you wrote is still there.")
	}
	return result, nil
}

// catalogPage is the catalog of known servers.
type catalogPage struct {
	Text, Category string
	Categories     []string
	Rows           []catalogRow
	All            int
}

type catalogRow struct {
	servers.Entry
	Risk  gateway.Risk
	Added bool
}

func (c *Console) showCatalog(v *visit) (any, error) {
	rated, err := c.rated()
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, s := range c.options.Gateway.Servers() {
		have[cmp.Or(s.Entry, s.Risk.Matched)] = true
	}
	q := v.r.URL.Query()
	page := &catalogPage{Text: strings.TrimSpace(q.Get("text")), Category: q.Get("category"), All: len(rated)}
	for _, row := range rated {
		if !slices.Contains(page.Categories, row.Category) {
			page.Categories = append(page.Categories, row.Category)
		}
		all := strings.ToLower(strings.Join([]string{row.ID, row.Name, row.Vendor, row.Description}, " "))
		if page.Category != "" && row.Category != page.Category || !strings.Contains(all, strings.ToLower(page.Text)) {
			continue
		}
		row.Added = have[row.ID]
		page.Rows = append(page.Rows, row)
	}
	slices.Sort(page.Categories)
	return page, nil
}

// rate scores the known servers as they would be added, once: some 5 ms for each.
func (c *Console) rate() (rows []catalogRow, err error) {
	known, err := c.known()
	for _, e := range known {
		row := catalogRow{Entry: e}
		if p, err := c.preview(fromEntry(e)); err == nil && p != nil {
			row.Risk = p.Risk
		}
		rows = append(rows, row)
	}
	return rows, err
}
