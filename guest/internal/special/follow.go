package special

import "github.com/glovebox-run/glovebox/guest/internal/wasm"

// follow follows the interpreter's code from instruction i on, along all paths, until each
// of them ends. Paths that part do not meet again before their ends, so that what is
// known on one stays known.
func (g *generator) follow(i int, p *path) {
	for {
		switch i {
		case g.head:
			g.arrive(p)
			return
		case g.check:
			i = g.checked // the stretch's check has looked
			continue
		case g.thrown:
			g.throw(p)
			return
		case len(g.code) - 1:
			fail("the function returns")
		}
		in := g.code[i]
		switch in.Op {
		case wasm.OpBlock, wasm.OpEnd, wasm.OpNop:
			i++
		case wasm.OpBr, wasm.OpElse:
			i = g.next[i][0]
		case wasm.OpBrIf:
			i = g.fork(p, g.next[i][0], i+1)
		case wasm.OpIf:
			i = g.fork(p, i+1, g.next[i][0])
		case wasm.OpBrTable:
			c, targets := p.pop(), g.next[i]
			if c.kind != constant {
				fail("a jump by a number that is not known")
			}
			i = targets[min(uint64(uint32(c.bits)), uint64(len(targets)-1))]
		case wasm.OpLoop:
			for _, l := range p.loops {
				if l.at == i {
					g.again(p, l)
					return
				}
			}
			g.enterLoop(p, i)
			g.follow(i+1, p)
			g.end()
			g.op(wasm.OpUnreachable)
			return
		case wasm.OpReturn:
			fail("the function returns")
		case wasm.OpUnreachable:
			g.op(wasm.OpUnreachable)
			return
		default:
			g.instr(in, p)
			i++
		}
	}
}

// fork follows the path that a condition takes and returns where the other one goes on,
// or where the only one does.
func (g *generator) fork(p *path, taken, other int) int {
	c := p.pop()
	if c.kind == constant {
		if c.bits != 0 {
			return taken
		}
		return other
	}
	g.ready(p, c)
	g.put(p, c)
	g.open(wasm.OpIf)
	g.follow(taken, p.clone())
	g.end()
	return other
}

// enterLoop opens a loop of the interpreter's own code, as of a search in a table of
// properties. What the loop writes must be in the same place whenever its head is reached.
func (g *generator) enterLoop(p *path, at int) {
	g.escape(p)
	g.charge(p, cost{})
	l := openLoop{at: at, depth: g.depth}
	var written set
	for _, in := range g.code[at:g.next[at][0]] {
		if in.Op == wasm.OpLocalSet || in.Op == wasm.OpLocalTee {
			written.add(in.Imm)
		}
	}
	for _, h := range written.list() {
		v := p.locals[h]
		p.locals[h] = value{}
		if v.kind == unset || !g.live[at].has(uint64(h)) {
			continue
		}
		g.put(p, v) // the slots have escaped already
		p.locals[h] = g.set(g.types[h])
		l.locals, l.canon = append(l.locals, h), append(l.canon, p.locals[h].bits)
	}
	p.unknown = true
	g.open(wasm.OpLoop)
	p.loops = append(p.loops, l)
}

// again goes back to the head of a loop.
func (g *generator) again(p *path, l openLoop) {
	for _, h := range l.locals {
		g.put(p, p.locals[h])
	}
	for k := len(l.locals) - 1; k >= 0; k-- {
		g.op(wasm.OpLocalSet, l.canon[k])
	}
	g.charge(p, cost{})
	g.op(wasm.OpBr, uint64(g.depth-l.depth-1))
}
