package console

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/glovebox-run/glovebox/mcpserver/exposure"
	"github.com/glovebox-run/glovebox/mcpserver/gateway"
	"github.com/glovebox-run/glovebox/mcpserver/upstream/imports"
)

// maxImports bounds the servers of clients on the page.
const maxImports = 100

// importPage is what the clients of this machine have.
type importPage struct {
	Rows []importRow
	Left []imports.Left
	More int
}

type importRow struct {
	gateway.ClientServer
	At   string
	Risk gateway.Risk
	Have bool // a server of that name is there
}

// Key tells the same name of two clients apart.
func (r importRow) Key() string { return r.Client + "/" + r.Name }

func (c *Console) clients() ([]gateway.ClientServer, []imports.Left, error) {
	if c.options.Home == "" {
		return nil, nil, nil
	}
	return gateway.ReadClients(c.options.Home, c.options.Config)
}

func (c *Console) showImport(v *visit) (any, error) {
	found, left, err := c.clients()
	if err != nil {
		return nil, err
	}
	known, err := c.known()
	if err != nil {
		return nil, err
	}
	have := map[string]bool{}
	for _, s := range c.options.Gateway.Servers() {
		have[s.Name()] = true
	}
	page := &importPage{Left: left[:min(len(left), maxImports)]}
	for i, f := range found {
		if i == maxImports {
			page.More = len(found) - i
			break
		}
		r := exposure.Registration{Config: f.Config, Origin: exposure.ByImport}
		page.Rows = append(page.Rows, importRow{f, reachedAt(f.Config), gateway.Preview(r, known, c.options.Now()), have[f.Name]})
	}
	return page, nil
}

// importServers registers the chosen servers in quarantine. Nothing is started or reached.
func (c *Console) importServers(v *visit) (done, error) {
	chosen := v.r.PostForm["server"]
	result := done{to: "servers/import", about: struct {
		Servers []string `json:"servers"`
	}{chosen}}
	if len(chosen) == 0 {
		return result, refuse(http.StatusBadRequest, "Nothing was imported", "Nothing was imported: choose a server.", "")
	}
	found, _, err := c.clients()
	if err != nil {
		return result, err
	}
	added := 0
	for _, f := range found {
		if !slices.Contains(chosen, (importRow{ClientServer: f}).Key()) {
			continue
		}
		r := exposure.Registration{Config: f.Config, Origin: exposure.ByImport, State: exposure.Quarantined}
		if _, err := gateway.Verb[gateway.Server](v.r.Context(), c.options.Gateway, v.who.Name, "add", r); err != nil {
			return result, refuseVerb(fmt.Errorf("%d were imported; %s: %w", added, f.Name, err))
		}
		added++
	}
	if added == 0 {
		return result, refuse(http.StatusConflict, "Nothing was imported", "The clients have none of these any more.", "")
	}
	result.to, result.said = "servers?state=quarantined", fmt.Sprintf("%d imported, in quarantine: look at each, then enable it.", added)
	return result, nil
}
