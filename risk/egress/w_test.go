package egress
import ("testing";"fmt";"sort";"github.com/glovebox-run/glovebox/risk/egress/automaton";"github.com/glovebox-run/glovebox/risk/egress/rules";"github.com/glovebox-run/glovebox/risk/egress/pattern")
func TestW(t *testing.T){ e:=builtin(t); text:=cleanJSON(1<<20); c:=map[int]int{}; automaton.Each(e.find,text,func(p,end int){ for ok:=true;ok;p,ok=e.find.Shorter(p){c[p]++} })
 var k []int; for p:=range c {k=append(k,p)}; sort.Slice(k,func(i,j int)bool{return c[k[i]]>c[k[j]]}); tot:=0; for _,p:=range k{tot+=c[p]}; fmt.Println("hits/MB",tot, "words",len(e.uses))
 for _,p:=range k[:40]{ u:=e.uses[p]; s:=""; for _,x:=range u { if x.role==roleToken||x.role==roleWord { s+=" "+e.rules[x.rule].ID } else {s+=" D"} }; fmt.Println(c[p],e.find.Len(p),s)}
 for _,r:=range rules.Builtin(){ if r.Pattern!=""&&len(r.Words)==0 { p,_:=pattern.Compile(r.Pattern); for _,l:=range p.Literals(){ if len(l)<=2 {fmt.Printf("%q %s; ",l,r.ID)} } } }
}
