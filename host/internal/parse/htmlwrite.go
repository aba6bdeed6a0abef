package parse

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/glovebox-run/glovebox/budget"
)

// htmlWriter writes nodes as browsers do, by the serialisation algorithm of the
// HTML standard: no slash in <br>, and only what has to be escaped is. The
// library's own writer escapes quotes in text and closes void elements.
type htmlWriter struct {
	account *budget.Account
	out     *budget.Builder
}

// void are the elements without content or end tag.
var void = map[atom.Atom]bool{
	atom.Area: true, atom.Base: true, atom.Basefont: true, atom.Bgsound: true, atom.Br: true, atom.Col: true, atom.Embed: true,
	atom.Frame: true, atom.Hr: true, atom.Img: true, atom.Input: true, atom.Keygen: true, atom.Link: true, atom.Meta: true,
	atom.Param: true, atom.Source: true, atom.Track: true, atom.Wbr: true,
}

// literal are the elements whose text is read as it stands, so that it must not be
// escaped.
var literal = map[atom.Atom]bool{
	atom.Style: true, atom.Script: true, atom.Xmp: true, atom.Iframe: true, atom.Noembed: true, atom.Noframes: true, atom.Plaintext: true,
}

var (
	escapeText      = strings.NewReplacer("&", "&amp;", "\u00a0", "&nbsp;", "<", "&lt;", ">", "&gt;")
	escapeAttribute = strings.NewReplacer("&", "&amp;", "\u00a0", "&nbsp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;")
)

// node writes a node and all below it, without recursion, so that no depth of a
// document matters.
func (w *htmlWriter) node(root *html.Node) {
	for n := root; ; {
		if w.account.Charge(budget.Element) != nil || w.out.Err() != nil {
			return
		}
		w.open(n)
		if n.FirstChild != nil && !isVoid(n) {
			n = n.FirstChild
			continue
		}
		for {
			w.close(n)
			if n == root {
				return
			}
			if n.NextSibling != nil {
				n = n.NextSibling
				break
			}
			n = n.Parent
		}
	}
}

func (w *htmlWriter) open(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		if p := n.Parent; p != nil && p.Namespace == "" && literal[p.DataAtom] {
			w.out.WriteString(n.Data)
		} else {
			w.escape(escapeText, n.Data)
		}
	case html.CommentNode:
		w.out.WriteString("<!--")
		w.out.WriteString(n.Data)
		w.out.WriteString("-->")
	case html.DoctypeNode:
		w.out.WriteString("<!DOCTYPE ")
		w.out.WriteString(n.Data)
		w.out.WriteByte('>')
	case html.ElementNode:
		w.out.WriteString("<" + n.Data)
		for _, a := range n.Attr {
			w.out.WriteByte(' ')
			if a.Namespace != "" {
				w.out.WriteString(a.Namespace + ":")
			}
			w.out.WriteString(a.Key + `="`)
			w.escape(escapeAttribute, a.Val)
			w.out.WriteByte('"')
		}
		w.out.WriteByte('>')
	}
}

// escape writes a text that the replacer may make longer. It does so in pieces, so
// that room for each is reserved before it is made.
func (w *htmlWriter) escape(how *strings.Replacer, text string) {
	const piece = 4 << 10
	for w.out.Err() == nil && w.account.Charge(uint64(min(len(text), piece))*budget.Scan) == nil {
		if len(text) <= piece {
			how.WriteString(w.out, text)
			return
		}
		end := piece
		for end > piece-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		how.WriteString(w.out, text[:end])
		text = text[end:]
	}
}

func (w *htmlWriter) close(n *html.Node) {
	if n.Type == html.ElementNode && !isVoid(n) {
		w.out.WriteString("</" + n.Data + ">")
	}
}

func isVoid(n *html.Node) bool {
	return n.Type == html.ElementNode && n.Namespace == "" && void[n.DataAtom]
}
