// Package markdown reads Markdown reports with the parser that forges in Go use.
package markdown

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/glovebox-run/glovebox/internal/hostiletest"
	"github.com/glovebox-run/glovebox/risk/score"
	"github.com/glovebox-run/glovebox/risk/score/report"
)

// A report of a hostile server has the headings, tables and rows that the report makes,
// and no link, picture, tag, code or heading of the server's.
func TestHostileMarkdown(t *testing.T) {
	parser := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()
	for seed := range uint64(hostiletest.Seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := score.Evaluate(hostiletest.Observation(seed), score.Refined, score.Background{})
			var b bytes.Buffer
			if err := report.Markdown(&b, &r); err != nil {
				t.Fatal(err)
			}
			counts := map[string]int{}
			err := ast.Walk(parser.Parse(text.NewReader(b.Bytes())), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if !entering {
					return ast.WalkContinue, nil
				}
				switch n.Kind() {
				case ast.KindLink, ast.KindImage, ast.KindAutoLink, ast.KindRawHTML, ast.KindHTMLBlock, ast.KindFencedCodeBlock, ast.KindCodeBlock,
					ast.KindBlockquote, ast.KindThematicBreak, ast.KindEmphasis, extast.KindStrikethrough, extast.KindTaskCheckBox:
					t.Errorf("%s: %.80q", n.Kind(), n.Text(b.Bytes()))
				case ast.KindHeading:
					counts[fmt.Sprintf("h%d", n.(*ast.Heading).Level)]++
				default:
					counts[n.Kind().String()]++
				}
				return ast.WalkContinue, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			rows := len(r.Categories) + len(r.Failing()) + len(r.Tools)
			tables := 2
			if len(r.Tools) > 0 {
				tables++
			}
			if counts["h1"] != 1 || counts["h2"] != tables+1 || counts["Table"] != tables || counts["TableRow"] != rows || counts["CodeSpan"] != len(r.Failing()) {
				t.Errorf("%v, want 1 h1, %d h2, %d tables with %d rows, %d code spans", counts, tables+1, tables, rows, len(r.Failing()))
			}
			if want := len(r.Reasons) + len(r.Limits) + len(r.Assumptions); counts["ListItem"] != want {
				t.Errorf("%d items, want %d", counts["ListItem"], want)
			}
		})
	}
}
