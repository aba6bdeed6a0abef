package oracle

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes programs that end: loops have fixed bounds and functions call
// only those before them. What they compute does not matter, only that both
// engines compute it with the same work.
type generator struct {
	*rand.Rand
	strings.Builder
	vars  []string
	funcs int
	fresh int
	depth int
}

func generate(r *rand.Rand) string {
	g := &generator{Rand: r, vars: []string{"n", "s", "a", "o"}}
	g.WriteString("var n = 1, s = 'x', a = [3, 1, 2], o = { k: 1 };\n")
	for range 2 + g.IntN(3) {
		fmt.Fprintf(g, "function f%d(n, s, a, o) {\n", g.funcs)
		g.block(3 + g.IntN(4))
		fmt.Fprintf(g, "return %s }\n", g.expr(2))
		g.funcs++
	}
	g.block(4 + g.IntN(6))
	g.WriteString("JSON.stringify([n, s, a, o], (k, v) => typeof v === 'bigint' ? v + 'n' : v)\n")
	return g.String()
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) block(statements int) {
	outer := len(g.vars)
	g.depth++
	for range statements {
		g.statement()
	}
	g.depth--
	g.vars = g.vars[:outer]
}

func (g *generator) statement() {
	kind := g.IntN(12)
	if g.depth > 3 {
		kind = g.IntN(5)
	}
	g.fresh++
	v := fmt.Sprintf("v%d", g.fresh)
	switch kind {
	case 0:
		fmt.Fprintf(g, "let %s = %s;\n", v, g.expr(3))
		g.vars = append(g.vars, v)
	case 1:
		fmt.Fprintf(g, "n = (%s) | 0;\n", g.expr(3))
	case 2:
		fmt.Fprintf(g, "s = String(%s).slice(-40);\n", g.expr(3))
	case 3:
		fmt.Fprintf(g, "a.push(%s); if (a.length > 30) a = a.slice(20);\n", g.expr(2))
	case 4:
		fmt.Fprintf(g, "o['k' + (n & 7)] = %s;\n", g.expr(1))
	case 5, 6:
		fmt.Fprintf(g, "for (let %s = 0; %s < %d; %s++) {\n", v, v, 1+g.IntN(12), v)
		g.vars = append(g.vars, v)
		g.block(1 + g.IntN(3))
		g.vars = g.vars[:len(g.vars)-1]
		g.WriteString("}\n")
	case 7:
		fmt.Fprintf(g, "if (%s) {\n", g.expr(2))
		g.block(1 + g.IntN(2))
		g.WriteString("} else {\n")
		g.block(1 + g.IntN(2))
		g.WriteString("}\n")
	case 8:
		g.WriteString("try {\n")
		g.block(1 + g.IntN(2))
		fmt.Fprintf(g, "if (%s) throw new RangeError(s) } catch (e) { s = e.message + n } finally { n++ }\n", g.expr(2))
	case 9:
		fmt.Fprintf(g, "for (const %s of %s) {\n", v, g.pick("a.slice(0, 6)", "s.slice(0, 5)", "Object.keys(o)", "(function* () { yield 1; yield n })()", "new Set(a.slice(0, 4)).values()"))
		g.vars = append(g.vars, v)
		g.block(1 + g.IntN(2))
		g.vars = g.vars[:len(g.vars)-1]
		g.WriteString("}\n")
	case 10:
		fmt.Fprintf(g, "switch (n & 3) { case 0: n += 3; break; case 1: s += 'c'; default: n ^= %s }\n", g.expr(1))
	case 11:
		fmt.Fprintf(g, "a = a.%s;\n", g.pick("map(x => x)", "filter((x, i) => i % 3)", "concat([n, s])", "toReversed()", "toSorted((x, y) => String(x) < String(y) ? -1 : 1)", "slice(1)", "flat()"))
	}
}

func (g *generator) expr(depth int) string {
	if depth == 0 {
		return g.pick(append([]string{"1", "0.5", "-7", "'q'", "null", "undefined", "true", "[]", "1e9"}, g.vars...)...)
	}
	x, y := g.expr(depth-1), g.expr(depth-1)
	switch g.IntN(14) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", x, g.pick("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>>"), y)
	case 3:
		return fmt.Sprintf("(%s %s %s)", x, g.pick("<", "===", "==", "!==", ">=", "&&", "||", "??"), y)
	case 4:
		return fmt.Sprintf("(%s ? %s : n)", x, y)
	case 5:
		return fmt.Sprintf("String(%s).%s", x, g.pick("toUpperCase()", "length", "replace(/[0-9]/g, 'd')", "split('').reverse().join('')", "padStart(5, '0')", "indexOf('1')", "charCodeAt(0)", "match(/\\w+/)?.[0]"))
	case 6:
		return fmt.Sprintf("Math.%s(%s)", g.pick("floor", "abs", "sqrt", "sin", "clz32"), x)
	case 7:
		return fmt.Sprintf("(v => %s)(%s)", x, y)
	case 8:
		return g.pick("a.length", "a[n & 3]", "a.indexOf(n)", "a.join('').length", "Object.keys(o).length", "o.k", "JSON.stringify(o).length", "new Uint8Array(a).reduce((x, y) => x + y, 0)")
	case 9:
		return fmt.Sprintf("`${%s}-%d`", x, g.IntN(100))
	case 10:
		return fmt.Sprintf("typeof %s", x)
	case 11:
		return fmt.Sprintf("Number(BigInt.asIntN(32, BigInt(n) * %dn + %dn))", 1+g.IntN(99), g.IntN(1000))
	case 12:
		if g.funcs > 0 && g.depth < 3 {
			return fmt.Sprintf("f%d(n & 15, s.slice(0, 8), a.slice(0, 4), { k: %s })", g.IntN(g.funcs), x)
		}
		return x
	default:
		return fmt.Sprintf("((p, q) => p > q ? p : q)(%s, %s)", x, y)
	}
}
