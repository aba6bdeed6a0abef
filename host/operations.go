package host

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strconv"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/host/files"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
	"github.com/glovebox-run/glovebox/host/internal/intl"
	"github.com/glovebox-run/glovebox/host/internal/parse"
	"github.com/glovebox-run/glovebox/host/internal/text"
	"github.com/glovebox-run/glovebox/host/internal/url"
	"github.com/glovebox-run/glovebox/host/internal/web"
	"github.com/glovebox-run/glovebox/host/netguard"
)

// operation is a row of the table of everything that a guest can ever ask for.
type operation struct {
	name  string
	needs func(plan) bool // which plans grant it
	bind  func(*capabilities) hostcall.Handler
	// waits marks operations that touch a disk or a network: their context ends
	// with the grants and with the time budget. The rest only compute.
	waits bool
	cost  cost
}

// cost is what a row charges. The table charges the rate for every call and for
// each byte that crosses the border. What the handler does beyond one pass over
// those bytes it charges itself, at the rates of package budget, for each of the
// things that beyond names; empty means that there is nothing beyond.
type cost struct {
	rate   budget.Rate
	beyond string
}

func costs(rate budget.Rate, beyond string) cost { return cost{rate, beyond} }

// operations are all rows. To add one, write the row: its name as the prelude
// calls it, what a posture must ask for, how its handler is made, whether it
// waits, and what it costs. Rows have no field names, so one without a cost does
// not compile.
var operations = []operation{
	{"fs.workspace", plan.anyFiles, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Where.Workspace) }, false, costs(budget.Structured, "")},
	{"fs.readRoots", plan.anyFiles, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Where.ReadRoots) }, false, costs(budget.Structured, "")},

	{"fs.readText", plan.reads, func(c *capabilities) hostcall.Handler { return c.files.Read.ReadText }, true, costs(budget.Scanned, "bytes of the file")},
	{"fs.list", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.List) }, true, costs(budget.Structured, "directory entries")},
	{"fs.exists", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Exists) }, true, costs(budget.Structured, "")},
	{"fs.stat", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Stat) }, true, costs(budget.Structured, "")},
	{"fs.grep", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Grep) }, true, costs(budget.Structured, "bytes of the files, by the size of the pattern")},
	{"fs.lineCount", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.LineCount) }, true, costs(budget.Structured, "bytes of the files")},
	{"fs.slice", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Slice) }, true, costs(budget.Structured, "bytes of the files")},
	{"fs.cut", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Cut) }, true, costs(budget.Structured, "bytes of the file, and fields that are picked")},
	{"fs.sort", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Sort) }, true, costs(budget.Structured, "lines that are compared")},
	{"fs.find", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Find) }, true, costs(budget.Structured, "directory entries")},
	{"fs.searchInFiles", plan.reads, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Read.Search) }, true, costs(budget.Structured, "bytes of the files, by the size of the pattern")},

	{"fs.writeText", plan.writes, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Write.WriteText) }, true, costs(budget.Structured, "")},
	{"fs.appendText", plan.writes, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Write.AppendText) }, true, costs(budget.Structured, "bytes of the file")},
	{"fs.editText", plan.writes, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Write.EditText) }, true, costs(budget.Structured, "bytes of the file")},
	{"fs.copy", plan.writes, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Write.Copy) }, true, costs(budget.Structured, "bytes of the file")},

	{"fs.move", plan.destroys, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Destroy.Move) }, true, costs(budget.Structured, "bytes of the file")},
	{"fs.delete", plan.destroys, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Destroy.Remove) }, true, costs(budget.Structured, "")},
	{"fs.deleteDir", plan.destroys, func(c *capabilities) hostcall.Handler { return fsJSON(c.files.Destroy.RemoveDir) }, true, costs(budget.Structured, "directory entries")},

	{"http.check", plan.fetches, func(c *capabilities) hostcall.Handler { return c.web.Check }, false, costs(budget.Structured, "")},
	{"http.fetch", plan.fetches, func(c *capabilities) hostcall.Handler { return c.web.Fetch }, true, costs(budget.Scanned, "bytes of the body as they decode")},
	{"http.abort", plan.fetches, func(c *capabilities) hostcall.Handler { return c.web.Abort }, false, costs(budget.Copied, "")},
	{"http.text", plan.fetches, func(*capabilities) hostcall.Handler { return web.Text }, false, costs(budget.Scanned, "")},
	{"http.json", plan.fetches, func(*capabilities) hostcall.Handler { return web.JSON }, false, costs(budget.Scanned, "")},

	{"random.bytes", plan.always, func(c *capabilities) hostcall.Handler { return randomBytes(c.random) }, false, costs(budget.Scanned, "")},

	{"crypto.digest", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Digest() }, false, costs(budget.Structured, "bytes, in pieces")},
	{"crypto.sign", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Sign() }, false, costs(budget.Structured, "bits of the key; bytes, in pieces")},
	{"crypto.verify", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Verify() }, false, costs(budget.Structured, "bits of the key; bytes, in pieces")},
	{"crypto.encrypt", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Encrypt() }, false, costs(budget.Structured, "bits of the key; bytes, in pieces")},
	{"crypto.decrypt", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Decrypt() }, false, costs(budget.Structured, "bits of the key; bytes, in pieces")},
	{"crypto.deriveBits", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.DeriveBits() }, false, costs(budget.Structured, "iterations")},
	{"crypto.deriveKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.DeriveKey() }, false, costs(budget.Structured, "iterations")},
	{"crypto.generateKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Generate() }, false, costs(budget.Structured, "numbers that are tried as primes")},
	{"crypto.importKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Import() }, false, costs(budget.Structured, "a key that is checked")},
	{"crypto.exportKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Export() }, false, costs(budget.Structured, "")},
	{"crypto.wrapKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Wrap() }, false, costs(budget.Structured, "bits of the key; bytes, in pieces")},
	{"crypto.unwrapKey", plan.always, func(c *capabilities) hostcall.Handler { return c.keys.Unwrap() }, false, costs(budget.Structured, "bits of the key; bytes, in pieces")},

	{"encoding.atob", plan.always, func(*capabilities) hostcall.Handler { return text.Atob }, false, costs(budget.Scanned, "")},
	{"encoding.btoa", plan.always, func(*capabilities) hostcall.Handler { return text.Btoa }, false, costs(budget.Scanned, "")},
	{"encoding.encode", plan.always, func(*capabilities) hostcall.Handler { return text.Encode }, false, costs(budget.Scanned, "")},
	{"encoding.encodeInto", plan.always, func(*capabilities) hostcall.Handler { return text.EncodeInto }, false, costs(budget.Scanned, "")},
	{"encoding.label", plan.always, func(*capabilities) hostcall.Handler { return text.Label }, false, costs(budget.Scanned, "")},
	{"encoding.decode", plan.always, func(c *capabilities) hostcall.Handler { return c.decoders.Decode }, false, costs(budget.Scanned, "bytes of the text")},

	{"url.parse", plan.always, func(*capabilities) hostcall.Handler { return hostcall.JSON(url.Helper, url.Parse) }, false, costs(budget.Structured, "pairs of separators")},
	{"url.set", plan.always, func(*capabilities) hostcall.Handler { return hostcall.JSON(url.Helper, url.Set) }, false, costs(budget.Structured, "pairs of separators")},
	{"url.readForm", plan.always, func(*capabilities) hostcall.Handler { return hostcall.JSON(url.Helper, url.ReadForm) }, false, costs(budget.Structured, "pairs")},
	{"url.writeForm", plan.always, func(*capabilities) hostcall.Handler { return hostcall.JSON(url.Helper, url.WriteForm) }, false, costs(budget.Structured, "bytes of the form")},

	{"intl.resolve", plan.always, func(c *capabilities) hostcall.Handler { return c.intl.Resolve }, false, costs(budget.Structured, "formatters that are made")},
	{"intl.format", plan.always, func(c *capabilities) hostcall.Handler { return c.intl.Format }, false, costs(budget.Structured, "formatters that are made; arguments and their bytes, by service")},
	{"intl.locales", plan.always, func(*capabilities) hostcall.Handler { return intl.Locales }, false, costs(budget.Structured, "")},

	{"parser.csv", plan.always, func(*capabilities) hostcall.Handler { return parse.CSV }, false, costs(budget.Structured, "fields")},
	{"parser.xml", plan.always, func(*capabilities) hostcall.Handler { return parse.XML }, false, costs(budget.Structured, "tokens")},
	{"parser.yaml", plan.always, func(*capabilities) hostcall.Handler { return parse.YAML }, false, costs(budget.Structured, "nodes, each time an alias or merge leads to one")},

	{"html.parse", plan.always, func(c *capabilities) hostcall.Handler { return c.html.Parse }, false, costs(budget.Structured, "tokens, with the elements that are open")},
	{"html.select", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Select) }, false, costs(budget.Structured, "nodes, each time one is tried")},
	{"html.is", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Is) }, false, costs(budget.Structured, "nodes, each time one is tried")},
	{"html.text", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Text) }, false, costs(budget.Structured, "nodes and bytes of text")},
	{"html.source", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Source) }, false, costs(budget.Structured, "nodes")},
	{"html.describe", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Describe) }, false, costs(budget.Structured, "attributes")},
	{"html.setAttribute", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.SetAttribute) }, false, costs(budget.Structured, "nodes and their attributes")},
	{"html.go", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Go) }, false, costs(budget.Structured, "nodes")},
	{"html.edit", plan.always, func(c *capabilities) hostcall.Handler { return htmlJSON(c.html.Edit) }, false, costs(budget.Structured, "nodes that are made or moved")},
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

func fsJSON[Args, Reply any](f func(context.Context, *budget.Account, Args) (Reply, error)) hostcall.Handler {
	return hostcall.JSON(files.Helper, f)
}

func htmlJSON[Args, Reply any](f func(context.Context, *budget.Account, Args) (Reply, error)) hostcall.Handler {
	return hostcall.JSON(parse.HelperHTML, f)
}

// maxRandom is how many bytes one call of getRandomValues fills at most, as in
// browsers.
const maxRandom = 65_536

// randomBytes serves random.bytes: text is how many.
func randomBytes(random io.Reader) hostcall.Handler {
	return func(_ context.Context, _ *budget.Account, text, _ []byte) ([]byte, []byte, error) {
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
