package parse

import (
	"bytes"
	"errors"
	"io"
	"reflect"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// parsePage parses a page. It returns the memory that it has kept for the tree.
func parsePage(account *budget.Account, source []byte) (root *html.Node, size int, err error) {
	r, err := newPageReader(account, source)
	if err != nil {
		return nil, 0, err
	}
	if root, err = html.ParseWithOptions(r, scriptless, r.observe()); err != nil {
		return nil, 0, r.cause(err)
	}
	size, err = r.finish(root)
	return root, size, err
}

// parseFragment parses HTML as it would be parsed inside the target.
func parseFragment(account *budget.Account, source []byte, target *html.Node) (nodes []*html.Node, size int, err error) {
	// The parser looks for a form around the target, however deep that is. It gets
	// a copy of the target right below the form.
	context := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	if target.Type == html.ElementNode {
		context = &html.Node{Type: target.Type, Data: target.Data, DataAtom: target.DataAtom, Namespace: target.Namespace, Attr: target.Attr}
	}
	for n := target.Parent; n != nil && account.Charge(visitNode) == nil; n = n.Parent {
		if n.DataAtom == atom.Form {
			context.Parent = n
			break
		}
	}
	r, err := newPageReader(account, source)
	if err != nil {
		return nil, 0, err
	}
	if nodes, err = html.ParseFragmentWithOptions(r, context, scriptless, r.observe()); err != nil {
		return nil, 0, r.cause(err)
	}
	size, err = r.finish(nodes...)
	return nodes, size, err
}

// scriptless makes noscript an ordinary element: nothing here runs scripts.
var scriptless = html.ParseOptionEnableScripting(false)

// pageReader feeds a page to the parser and accounts for what the parser makes of
// it. The parser may make far more than it reads: every open tag of formatting,
// such as <b>, comes again in every paragraph that follows, up to 512 nodes for
// three bytes. So the reader hands out small pieces, and before each it looks at
// the parser's own lists, which say how much a tag of the next piece can cost.
type pageReader struct {
	account *budget.Account
	text    []byte
	at      int

	parser reflect.Value // the library's parser: a struct

	// The token that the tokenizer is in the middle of: where it begins, and how many
	// attributes it may have up to here.
	token, attributes int
	// What is held for the tree: an upper bound, and its exact size and number of
	// nodes when it was last counted.
	held, exact, nodes int
}

// htmlPiece is how many bytes the parser reads at a time: some ten tags of an
// ordinary page.
const htmlPiece = 256

func newPageReader(account *budget.Account, source []byte) (*pageReader, error) {
	if err := checkInput(HelperHTML, source); err != nil {
		return nil, err
	}
	if err := checkRoots(account, source); err != nil {
		return nil, err
	}
	// The tokenizer's buffer, the texts of nodes, and again while they are put
	// together from pieces.
	if err := account.Hold(3 * len(source)); err != nil {
		return nil, err
	}
	return &pageReader{account: account, text: source}, nil
}

// observe is an option for the parser that lets the reader see it. The library
// has no other way to look at the lists; a parser without them ends the parse.
func (r *pageReader) observe() html.ParseOption {
	look := func(arguments []reflect.Value) []reflect.Value {
		r.parser = arguments[0].Elem()
		return nil
	}
	return reflect.MakeFunc(reflect.TypeFor[html.ParseOption](), look).Interface().(html.ParseOption)
}

var errParser = errors.New("parse: the HTML parser has changed and cannot be accounted for")

// list returns one of the parser's lists of nodes.
func (r *pageReader) list(name string) (reflect.Value, error) {
	if !r.parser.IsValid() {
		return reflect.Value{}, errParser
	}
	list := r.parser.FieldByName(name)
	if !list.IsValid() || list.Kind() != reflect.Slice || list.Type().Elem() != reflect.TypeFor[*html.Node]() {
		return reflect.Value{}, errParser
	}
	return list, nil
}

// unread returns how many bytes the tokenizer has read of a token that has not
// ended.
func (r *pageReader) unread() (int, error) {
	tokenizer := r.parser.FieldByName("tokenizer")
	if !tokenizer.IsValid() || tokenizer.Type() != reflect.TypeFor[*html.Tokenizer]() {
		return 0, errParser
	}
	raw := tokenizer.Elem().FieldByName("raw")
	if !raw.IsValid() || raw.NumField() != 2 || raw.Field(0).Kind() != reflect.Int {
		return 0, errParser
	}
	n := int(raw.Field(1).Int() - raw.Field(0).Int())
	if n < 0 || n > r.at {
		return 0, errParser
	}
	return n, nil
}

// root returns the document that the parser builds.
func (r *pageReader) root() (*html.Node, error) {
	doc := r.parser.FieldByName("doc")
	if !doc.IsValid() || doc.Type() != reflect.TypeFor[*html.Node]() {
		return nil, errParser
	}
	return (*html.Node)(doc.UnsafePointer()), nil
}

// Rates of the parser, measured: fuel for a byte, for a tag with the text behind
// it, and for each element that it compares with on the way.
const (
	htmlPerByte      = 40
	htmlPerTag       = 4_000
	htmlPerAttribute = 200
	htmlPerOpen      = 16
	htmlPerCompare   = 8
	htmlPerNode      = budget.Allocation
	htmlPerVisit     = 40
)

func (r *pageReader) Read(p []byte) (int, error) {
	if r.at == len(r.text) {
		return 0, io.EOF
	}
	piece := r.text[r.at:min(len(r.text), r.at+htmlPiece, r.at+len(p))]
	open, err := r.list("oe")
	if err != nil {
		return 0, err
	}
	formatting, err := r.list("afe")
	if err != nil {
		return 0, err
	}
	unread, err := r.unread()
	if err != nil {
		return 0, err
	}
	if token := r.at - unread; token != r.token {
		r.token, r.attributes = token, count(r.text[token:r.at], &separators)
	}
	c := r.scan(piece)
	stack := open.Len() + c.tags
	active := formatting.Len() + c.formatting

	fuel := len(piece)*htmlPerByte + c.tags*(htmlPerTag+stack*htmlPerOpen) + c.attributes*htmlPerAttribute + active*htmlPerVisit +
		c.closing*htmlPerCompare*stack*(active+8) + c.formatting*htmlPerCompare*active*(8+r.attributes)
	if err := r.account.Charge(uint64(fuel)); err != nil {
		return 0, err
	}
	// Each tag, and the text behind it, may make all formatting elements anew.
	again := 0
	if c.formatting > 0 {
		again = c.formatting*nodeSize + r.attributes*attributeSize
	}
	for i := range formatting.Len() {
		n := (*html.Node)(formatting.Index(i).UnsafePointer())
		again += nodeSize + len(n.Attr)*attributeSize
	}
	const implied = 4 // <html>, <head> and <body>; <tbody> and <tr>
	if err := r.expect((2*c.tags+1)*(implied*nodeSize+again) + c.attributes*tokenAttributeSize); err != nil {
		return 0, err
	}
	r.at += len(piece)
	return copy(p, piece), nil
}

// expect holds memory for what the next piece may become. The bound is a loose
// one, so the tree is counted when the bound is far above the last count, and
// when there is no room left but for what a count may give back.
func (r *pageReader) expect(bytes int) error {
	const far, worth = 16 << 20, 64 << 10
	loose := r.held - r.exact
	if loose > max(far, r.exact) || r.account.Free() < bytes && loose > worth+r.exact/8 {
		root, err := r.root()
		if err != nil {
			return err
		}
		if err := r.count(root); err != nil {
			return err
		}
		bytes += r.attributes * tokenAttributeSize // no part of the tree yet
	}
	r.held += bytes
	return r.account.Hold(bytes)
}

// count makes what is held what the trees take.
func (r *pageReader) count(roots ...*html.Node) error {
	size, nodes := 0, 0
	for _, root := range roots {
		for n := range below(root) {
			size += sizeOf(n)
			nodes++
		}
	}
	made := max(0, nodes-r.nodes)
	if err := r.account.Charge(uint64(nodes)*htmlPerVisit + uint64(made)*htmlPerNode); err != nil {
		return err
	}
	if size > r.held {
		if err := r.account.Hold(size - r.held); err != nil {
			return err
		}
	}
	r.account.Drop(r.held - size)
	r.held, r.exact, r.nodes = size, size, nodes
	return nil
}

// finish leaves the finished trees kept, and nothing held for them.
func (r *pageReader) finish(roots ...*html.Node) (size int, err error) {
	if err := r.account.Err(); err != nil {
		return 0, err
	}
	if err := r.count(roots...); err != nil {
		return 0, err
	}
	r.account.Drop(r.held + 3*len(r.text))
	return r.exact, r.account.Keep(r.exact)
}

// cause tells an error of the account, and of ours, from one of the page.
func (r *pageReader) cause(err error) error {
	if spent := r.account.Err(); spent != nil {
		return spent
	}
	if errors.Is(err, errParser) {
		return err
	}
	return failHTML(hostcall.Runtime, "parse-failed", "%v", err)
}

// Memory of a node and of an attribute, in bytes, without their texts.
const (
	nodeSize      = 128
	attributeSize = 48
	// An attribute in the tokenizer: its place, its name in a set, and the copy for
	// the node.
	tokenAttributeSize = 180
)

func sizeOf(n *html.Node) int {
	size := nodeSize + cap(n.Attr)*attributeSize
	if n.Type != html.ElementNode || n.DataAtom == 0 {
		size += len(n.Data)
	}
	for _, a := range n.Attr {
		size += len(a.Key) + len(a.Val)
	}
	return size
}

// tagCounts are what a piece can do: more rather than less.
type tagCounts struct {
	tags, closing, formatting int // that end in the piece
	attributes                int // that begin in it
}

// separators stand before each attribute, or in it.
var separators = [256]bool{' ': true, '\t': true, '\n': true, '\f': true, '\r': true, '/': true, '=': true}

// scan counts in a piece and in the token that it goes on with. Whatever looks
// like a tag counts as one, wherever it stands.
func (r *pageReader) scan(piece []byte) tagCounts {
	c := tagCounts{tags: 1, attributes: count(piece, &separators)}
	r.attributes += c.attributes
	look := func(at int) {
		c.tags++
		if rest := r.text[at+1:]; len(rest) > 0 && rest[0] == '/' {
			c.closing++
		} else if isFormatting(rest) {
			c.formatting++
		}
	}
	if r.token < r.at && r.text[r.token] == '<' {
		look(r.token)
	}
	for i := 0; ; i++ {
		next := bytes.IndexByte(piece[i:], '<')
		if next < 0 {
			return c
		}
		i += next
		look(r.at + i)
	}
}

// formattingElements come again after elements that end before them.
var formattingElements = map[string]bool{
	"a": true, "b": true, "big": true, "code": true, "em": true, "font": true, "i": true, "nobr": true, "s": true, "small": true,
	"strike": true, "strong": true, "tt": true, "u": true,
}

// isFormatting reports whether a text begins with the name of such an element.
func isFormatting(text []byte) bool {
	const longest = len("strike")
	end := 0
	for end < len(text) && end <= longest && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	var name [longest + 1]byte
	for i, c := range text[:end] {
		name[i] = c | 0x20
	}
	return formattingElements[string(name[:end])]
}

// maxRootWork bounds how many attributes the parser may look at for html and
// body tags that come again: it compares those of each with all before, which
// for 30,000 tags takes minutes.
const maxRootWork = 1_000_000

// checkRoots refuses pages with too many html and body tags.
func checkRoots(account *budget.Account, page []byte) error {
	const few = 4 // ordinary pages have two
	tags := 0
	for rest := page; ; {
		at := bytes.IndexByte(rest, '<')
		if at < 0 {
			break
		}
		rest = rest[at+1:]
		if len(rest) >= 4 && (bytes.EqualFold(rest[:4], []byte("html")) || bytes.EqualFold(rest[:4], []byte("body"))) {
			tags++
		}
	}
	if tags <= few {
		return nil
	}
	attributes, work := 0, 0
	for z := html.NewTokenizer(budget.NewReader(account, bytes.NewReader(page), htmlPerByte)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			return account.Err()
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		name, more := z.TagName()
		if a := atom.Lookup(name); a != atom.Html && a != atom.Body {
			continue
		}
		for more {
			_, _, more = z.TagAttr()
			attributes++
		}
		if work += attributes; work > maxRootWork {
			return failHTML(hostcall.Runtime, "parse-failed", "the html and body tags have too many attributes together")
		}
	}
}
