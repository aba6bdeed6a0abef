package host

import (
	"context"
	"slices"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/host/hostcall"
	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/host/web"
)

// operation is a row of the table of everything that a guest can ever ask for.
type operation struct {
	name  string
	needs func(plan) bool // which plans grant it
	bind  func(*capabilities) hostcall.Handler
	// waits marks operations that touch a disk or a network: their context ends
	// with the grants and with the time budget. The rest only compute.
	waits bool
}

// operations are all rows. To add one, write the row: its name as the prelude
// calls it, what a posture must ask for, and how its handler is made.
var operations = []operation{
	{"fs.workspace", plan.anyFiles, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Where.Workspace) }, false},
	{"fs.readRoots", plan.anyFiles, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Where.ReadRoots) }, false},

	{"fs.readText", plan.reads, func(c *capabilities) hostcall.Handler { return c.files.Read.ReadText }, true},
	{"fs.list", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.List) }, true},
	{"fs.exists", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Exists) }, true},
	{"fs.stat", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Stat) }, true},
	{"fs.grep", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Grep) }, true},
	{"fs.lineCount", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.LineCount) }, true},
	{"fs.slice", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Slice) }, true},
	{"fs.cut", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Cut) }, true},
	{"fs.sort", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Sort) }, true},
	{"fs.find", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Find) }, true},
	{"fs.searchInFiles", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Search) }, true},

	{"fs.writeText", plan.writes, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Write.WriteText) }, true},
	{"fs.appendText", plan.writes, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Write.AppendText) }, true},
	{"fs.editText", plan.writes, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Write.EditText) }, true},
	{"fs.copy", plan.writes, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Write.Copy) }, true},

	{"fs.move", plan.destroys, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Destroy.Move) }, true},
	{"fs.delete", plan.destroys, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Destroy.Remove) }, true},
	{"fs.deleteDir", plan.destroys, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Destroy.RemoveDir) }, true},

	{"http.check", plan.fetches, func(c *capabilities) hostcall.Handler { return c.web.Check }, false},
	{"http.fetch", plan.fetches, func(c *capabilities) hostcall.Handler { return c.web.Fetch }, true},
	{"http.abort", plan.fetches, func(c *capabilities) hostcall.Handler { return c.web.Abort }, false},
	{"http.text", plan.fetches, func(*capabilities) hostcall.Handler { return web.Text }, false},
	{"http.json", plan.fetches, func(*capabilities) hostcall.Handler { return web.JSON }, false},
}

// plan is a posture in the host's own words: what will be granted, before
// anything is opened.
type plan struct {
	files files.Want

	fetch bool
	hosts netguard.HostSet
	open  bool // no address check
}

// planOf is the one reader of postures in this package.
func planOf(p catalog.Posture) (plan, error) {
	pl := plan{files: files.Want{Read: p.FileRead, Write: p.FileWrite, Destroy: p.FileWrite && p.Destructive, Base: p.FSBase}}
	var err error
	switch p.Network {
	case catalog.NetworkAllowlist:
		pl.fetch = true
		pl.hosts, err = netguard.ParseHostSet(p.Hosts)
	case catalog.NetworkStrict:
		pl.fetch, pl.hosts = true, netguard.AnyHost()
	case catalog.NetworkOpen:
		pl.fetch, pl.hosts, pl.open = true, netguard.AnyHost(), true
	}
	return pl, err
}

func (p plan) anyFiles() bool { return p.files.Read || p.files.Write }
func (p plan) reads() bool    { return p.files.Read }
func (p plan) writes() bool   { return p.files.Write }
func (p plan) destroys() bool { return p.files.Destroy }
func (p plan) fetches() bool  { return p.fetch }

// NeedsFiles reports whether a posture asks for a workspace.
func NeedsFiles(p catalog.Posture) bool {
	pl, err := planOf(p)
	return err == nil && pl.anyFiles()
}

// Operations returns the sorted names of the operations that Mint grants to a
// posture, without a World.
func Operations(p catalog.Posture) ([]string, error) {
	pl, err := planOf(p)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, op := range operations {
		if op.needs(pl) {
			names = append(names, op.name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func fsJSON[Args, Reply any](f func(context.Context, Args) (Reply, error)) hostcall.Handler {
	return hostcall.JSON(files.Helper, f)
}
