package host

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/host/hostcall"
	"github.com/glovebox-run/glovebox/host/intl"
	"github.com/glovebox-run/glovebox/host/netguard"
	"github.com/glovebox-run/glovebox/host/parse"
	"github.com/glovebox-run/glovebox/host/text"
	"github.com/glovebox-run/glovebox/host/url"
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

	{"random.bytes", plan.always, func(c *capabilities) hostcall.Handler { return randomBytes(c.random) }, false},

	{"crypto.digest", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Digest() }, false},
	{"crypto.sign", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Sign() }, false},
	{"crypto.verify", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Verify() }, false},
	{"crypto.encrypt", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Encrypt() }, false},
	{"crypto.decrypt", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Decrypt() }, false},
	{"crypto.deriveBits", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.DeriveBits() }, false},
	{"crypto.deriveKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.DeriveKey() }, false},
	{"crypto.generateKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Generate() }, false},
	{"crypto.importKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Import() }, false},
	{"crypto.exportKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Export() }, false},
	{"crypto.wrapKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Wrap() }, false},
	{"crypto.unwrapKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Unwrap() }, false},

	{"encoding.atob", plan.always, func(*capabilities) hostcall.Handler { return text.Atob }, false},
	{"encoding.btoa", plan.always, func(*capabilities) hostcall.Handler { return text.Btoa }, false},
	{"encoding.encode", plan.always, func(*capabilities) hostcall.Handler { return text.Encode }, false},
	{"encoding.encodeInto", plan.always, func(*capabilities) hostcall.Handler { return text.EncodeInto }, false},
	{"encoding.label", plan.always, func(*capabilities) hostcall.Handler { return text.Label }, false},
	{"encoding.decode", plan.always, func(c *capabilities) hostcall.Handler { return c.decoders.Decode }, false},

	{"url.parse", plan.always, func(*capabilities) hostcall.Handler { return hostcall.JSON(url.Helper, url.Parse) }, false},
	{"url.set", plan.always, func(*capabilities) hostcall.Handler { return hostcall.JSON(url.Helper, url.Set) }, false},
	{"url.readForm", plan.always, func(*capabilities) hostcall.Handler { return hostcall.JSON(url.Helper, url.ReadForm) }, false},
	{"url.writeForm", plan.always, func(*capabilities) hostcall.Handler { return hostcall.JSON(url.Helper, url.WriteForm) }, false},

	{"intl.resolve", plan.always, func(c *capabilities) hostcall.Handler { return c.intl.Resolve }, false},
	{"intl.format", plan.always, func(c *capabilities) hostcall.Handler { return c.intl.Format }, false},
	{"intl.locales", plan.always, func(*capabilities) hostcall.Handler { return intl.Locales }, false},

	{"parser.csv", plan.always, func(*capabilities) hostcall.Handler { return parse.CSV }, false},
	{"parser.xml", plan.always, func(*capabilities) hostcall.Handler { return parse.XML }, false},
	{"parser.yaml", plan.always, func(*capabilities) hostcall.Handler { return parse.YAML }, false},

	{"html.parse", plan.always, func(c *capabilities) hostcall.Handler { return c.html.Parse }, false},
	{"html.select", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Select) }, false},
	{"html.is", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Is) }, false},
	{"html.text", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Text) }, false},
	{"html.source", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Source) }, false},
	{"html.describe", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Describe) }, false},
	{"html.setAttribute", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.SetAttribute) }, false},
	{"html.go", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Go) }, false},
	{"html.edit", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Edit) }, false},
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

// always grants what only computes: parsers, keys, encodings, URLs.
func (plan) always() bool { return true }

// NeedsFiles reports whether a posture asks for a workspace.
func NeedsFiles(p catalog.Posture) bool {
	pl, err := planOf(p)
	return err == nil && pl.anyFiles()
}

// Workspace stands for the directory of a posture that names no other.
const Workspace = "workspace"

// Directory returns where Mint confines a posture's file access to: a directory,
// [Workspace], or nothing when there is no access.
func Directory(p catalog.Posture) string {
	pl, err := planOf(p)
	if err != nil || !pl.anyFiles() {
		return ""
	}
	return cmp.Or(pl.files.Base, Workspace)
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

func htmlJSON[Args, Reply any](f func(context.Context, Args) (Reply, error)) hostcall.Handler {
	return hostcall.JSON(parse.HelperHTML, f)
}

// maxRandom is how many bytes one call of getRandomValues fills at most, as in
// browsers.
const maxRandom = 65_536

// randomBytes serves random.bytes: text is how many.
func randomBytes(random io.Reader) hostcall.Handler {
	return func(_ context.Context, text, _ []byte) ([]byte, []byte, error) {
		n, err := strconv.Atoi(string(text))
		if err != nil || n < 0 || n > maxRandom {
			return nil, nil, hostcall.Errorf(hostcall.InvalidInput, "crypto", "array-too-large", "at most %d bytes at once", maxRandom)
		}
		out := make([]byte, n)
		if _, err := io.ReadFull(random, out); err != nil {
			return nil, nil, err
		}
		return nil, out, nil
	}
}
