package jsengine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// loopWriter writes random programs: loops over variables of all kinds that hold values of
// all kinds, so that most operations meet operands for which they were not compiled.
type loopWriter struct {
	*rand.Rand
	depth int
}

func (w *loopWriter) pick(from ...string) string { return from[w.IntN(len(from))] }

func (w *loopWriter) value() string {
	return w.pick("0", "1", "-1", "7", "2147483647", "-2147483648", "0.5", "1e308", "NaN", "''", "'7'", "'abc'", "true", "null", "undefined", "10n", "[1,2]", "({a:1})", "Symbol.iterator", "a", "b", "c", "i", "o.p", "u[i%9]", "l[b%4]")
}

func (w *loopWriter) variable() string {
	return w.pick("a", "b", "c", "d", "o.p", "o[i%3]", "l[i%5]", "u[i%9]")
}

func (w *loopWriter) expression() string {
	if w.depth++; w.depth > 3 {
		w.depth--
		return w.value()
	}
	defer func() { w.depth-- }()
	x, y := w.expression(), w.expression()
	switch w.IntN(12) {
	case 0:
		return fmt.Sprintf("(%s?%s:%s)", x, y, w.value())
	case 1:
		return w.pick("f", "g", "h", "Math.max", "String", "l.push", "o.m") + "(" + x + "," + y + ")"
	case 2:
		return w.pick("-", "+", "~", "!", "typeof ", "void ") + "(" + x + ")"
	case 3:
		return "(" + w.variable() + w.pick("=", "+=", "-=", "*=", "|=", ">>>=", "??=", "&&=") + x + ")"
	case 4:
		return w.pick("++", "--") + w.variable()
	case 5:
		return w.variable() + w.pick("++", "--")
	case 6:
		return w.value()
	case 7:
		return "(" + x + ")?." + w.pick("length", "p", "a", "x")
	default:
		return "(" + x + w.pick("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>", "<", "<=", ">", ">=", "==", "!=", "===", "!==", "&&", "||", "??", "in o||", ",") + y + ")"
	}
}

func (w *loopWriter) block(deep int) string {
	var text strings.Builder
	for range 1 + w.IntN(3) {
		text.WriteString(w.statement(deep))
	}
	return "{" + text.String() + "}"
}

func (w *loopWriter) statement(deep int) string {
	if deep <= 0 {
		return w.expression() + ";"
	}
	body := func() string { return w.block(deep - 1) }
	times := 2 + w.IntN(12)
	switch w.IntN(14) {
	case 0:
		return "if(" + w.expression() + ")" + body() + "else" + body()
	case 1:
		return fmt.Sprintf("for(let i=0;i<%d;i++)%s", times, body())
	case 2:
		return fmt.Sprintf("for(let i=0;i<%d;i++){k.push(()=>i+=1);%s}", times, body())
	case 3:
		return fmt.Sprintf("{let n=0;do{%s}while(n++<%d)}", w.statement(deep-1), times)
	case 4:
		return fmt.Sprintf("{let n=%d;while(n--)%s}", times, body())
	case 5:
		return "for(const e of [1,'x',2.5,null])" + "{d=e;" + w.statement(deep-1) + "}"
	case 6:
		return "for(const e in {x:1,y:2})" + "{d=e;" + w.statement(deep-1) + "}"
	case 7:
		return "try" + body() + "catch(e){s+=e.message;" + w.statement(deep-1) + "}finally" + body()
	case 8:
		return "switch(" + w.expression() + "){case 1:" + w.statement(deep-1) + "case '7':" + w.statement(deep-1) + "break;default:" + w.statement(deep-1) + "}"
	case 9:
		return w.pick("if(a>5)break;", "if(b==c)continue;", "if(c===3)return [a,b];", "if(d)throw new Error(s);")
	case 10:
		return w.pick("await 0;", "s+=typeof d;", "for(const e of gen(3))d=e;", "[a,b]=[b,a];", "({p:c}=o);", "s+=`${i}`;", "if(s.length>500)s='';", "k.pop()?.();")
	default:
		return w.expression() + ";"
	}
}

// program gives the loops a condition to leave by, so that break and continue have one.
func (w *loopWriter) program() string {
	return `let a=0,b=1.5,c='x',d,s='',i=3;const o={p:1,m(x){return x}},l=[1,2.5,'z',{}],u=new Uint8Array(9),k=[];
const f=(x,y)=>x+y,g=(x)=>{a=x;return b},h=function(x){for(let n=0;n<3;n++)c=n;return arguments.length};
function*gen(n){for(let j=0;j<n;j++)yield j}
for(let i=0;i<` + fmt.Sprint(5+w.IntN(60)) + `;i++)` + w.block(3) + `
return [typeof a,String(b).slice(0,50),typeof c,s,l.length,[...u],typeof d]`
}

// The interpreter decides what is right: a random program does the same with its loops
// compiled, whether it ends or is stopped.
func FuzzCompiledLoops(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	e := testEngine(f)
	f.Fuzz(func(t *testing.T, seed uint64) {
		w := &loopWriter{Rand: rand.New(rand.NewPCG(seed, 0))}
		body := w.program()
		image, err := e.Image(t.Context(), Program{File: "f.js", Body: body})
		if err != nil {
			return // an assignment to what is no variable, or a break outside of a loop
		}
		faster := compiled(t, image)
		if faster == nil {
			t.Fatalf("%s\nhas no loop", body)
		}
		limits := Limits{Statements: 20_000, Fuel: 300_000_000, Time: time.Minute, Memory: 8 << 20}
		out := sameOutcome(t, body, image, faster, Call{Limits: limits})
		for range 3 {
			stop := limits
			stop.Fuel = 1 + w.Uint64N(out.Usage.Fuel)
			sameOutcome(t, body, image, faster, Call{Limits: stop})
			stop = limits
			stop.Statements = 1 + w.Uint64N(out.Usage.Statements)
			sameOutcome(t, body, image, faster, Call{Limits: stop})
		}
	})
}
