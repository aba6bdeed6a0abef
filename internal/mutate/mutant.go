package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// mutant is a source with one change.
type mutant struct {
	source []byte
	line   int
	what   string // function, the change and which of several alike it is: stable while lines move
}

// swaps are operators and what each becomes.
var swaps = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
}

// mutantsOf returns every change of one source: an operator swapped, a condition
// always true or false, a call whose result nobody wants left out.
func mutantsOf(name string, source []byte) ([]mutant, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var all []mutant
	seen := map[string]int{}
	for _, decl := range file.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}
		change := func(from, to token.Pos, by, what string) {
			start, end := files.Position(from), files.Position(to)
			text := append([]byte{}, source[:start.Offset]...)
			text = append(append(text, by...), source[end.Offset:]...)
			what = function.Name.Name + " " + what
			if seen[what]++; seen[what] > 1 {
				what = fmt.Sprintf("%s (%d)", what, seen[what])
			}
			all = append(all, mutant{source: text, line: start.Line, what: what})
		}
		original := func(n ast.Node) string {
			return string(source[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset])
		}
		ast.Inspect(function.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if to, ok := swaps[n.Op]; ok && !isText(n) {
					change(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), to.String(), n.Op.String()+" to "+to.String())
				}
			case *ast.IfStmt:
				condition := original(n.Cond)
				change(n.Cond.Pos(), n.Cond.End(), "("+condition+") && false", "if "+short(condition)+": never")
				change(n.Cond.Pos(), n.Cond.End(), "("+condition+") || true", "if "+short(condition)+": always")
			case *ast.ExprStmt:
				if _, ok := n.X.(*ast.CallExpr); ok {
					change(n.Pos(), n.End(), "", "without "+short(original(n)))
				}
			}
			return true
		})
	}
	return all, nil
}

// isText reports whether an addition joins texts: the compiler refuses to subtract
// them, which says nothing of the tests.
func isText(n *ast.BinaryExpr) bool {
	if n.Op != token.ADD {
		return false
	}
	for _, side := range []ast.Expr{n.X, n.Y} {
		if literal, ok := side.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			return true
		}
		if inner, ok := side.(*ast.BinaryExpr); ok && isText(inner) {
			return true
		}
	}
	return false
}

func short(text string) string {
	const most = 60
	for i, r := range text {
		if i >= most || r == '\n' {
			return text[:i] + "..."
		}
	}
	return text
}
