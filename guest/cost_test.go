package guest_test

import (
	"context"
	"math"
	goruntime "runtime"
	"slices"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/guest"
)

// costPrograms are what tools spend their time on, some 3 ms each: on a busy
// machine a short run is more often undisturbed.
var costPrograms = []struct{ name, source string }{
	{"calls", `function fib(n){return n<2?n:fib(n-1)+fib(n-2)} fib(18)`},
	{"globals", `var s=0;for(var i=0;i<25000;i++)s+=i%7;s`},
	{"locals", `(function(){let s=0;for(let i=0;i<30000;i++)s=(s+i*3)|0;return s})()`},
	{"strings", `(function(){let s='',n=0;for(let i=0;i<4500;i++){s+='ab'+i;if(s.length>4000){n+=s.indexOf('b9');s=s.slice(3000)}}return n})()`},
	{"json", `(function(){const a=[];for(let i=0;i<40;i++)a.push({id:i,name:'item '+i,tags:['a','b',{x:i/3}]});let n=0;for(let i=0;i<4;i++)n+=JSON.stringify(JSON.parse(JSON.stringify(a))).length;return n})()`},
	{"regex", `(function(){let n=0;const t='2026-11-20 error: disk /dev/sda1 at 97% since 12:44:01; '.repeat(10);for(let i=0;i<6;i++){n+=t.match(/(\d+)-(\d+)-(\d+)|[a-z]+(?=:)|\/\w+\/\w+/g).length;n+=t.replace(/\b(\w)(\w*)\b/g,'$2$1').length}return n})()`},
	{"sort", `(function(){let x=1;const a=[];for(let i=0;i<2000;i++){x=(x*1103515245+12345)%2147483648;a.push(x)}a.sort((p,q)=>p-q);return a[100]})()`},
	{"objects", `(function(){class P{constructor(x,y){this.x=x;this.y=y}add(o){return new P(this.x+o.x,this.y+o.y)}}let p=new P(0,0),d=new P(1,2);for(let i=0;i<3000;i++)p=p.add(d);return p.x+p.y})()`},
	{"collections", `(function(){const m=new Map(),s=new Set();for(let i=0;i<700;i++){m.set('k'+i%997,(m.get('k'+i%997)||0)+1);s.add(i%1009)}return [...m.values()].map(v=>v*2).filter(v=>v%3).reduce((a,b)=>a+b,0)+s.size})()`},
	{"bytes", `(function(){const b=new Uint8Array(4096);let h=0;for(let r=0;r<2;r++)for(let i=0;i<b.length;i++){b[i]=(b[i]*31+i+r)&255;h=(h^b[i])*16777619>>>0}return h})()`},
}

// BenchmarkMetering compares the metered module with the same module before
// metering. What is compared is the processor time of the thread and of that
// nearly the least of many runs, so that other work on the machine counts for
// little. Where the compiler's code and the guest's memory happen to lie moves
// single programs by a twentieth, so everything is loaded afresh several times and
// the geometric mean of the ratios counts.
func BenchmarkMetering(b *testing.B) {
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	const rounds, runs = 5, 25
	logs := make([]float64, len(costPrograms))
	for range rounds {
		metered, linked := fresh(b, guest.Metered), fresh(b, guest.Linked)
		metered.limit = math.MaxInt64
		for i, p := range costPrograms {
			logs[i] += math.Log(ratio(b, metered, linked, p.source, runs)) / rounds
		}
	}
	sum, worst := 0.0, math.Inf(-1)
	for i, p := range costPrograms {
		sum += logs[i]
		worst = max(worst, logs[i])
		b.ReportMetric(math.Exp(logs[i]), p.name+"-ratio")
	}
	b.ReportMetric(math.Exp(sum/float64(len(costPrograms))), "geomean-ratio")
	b.ReportMetric(math.Exp(worst), "worst-ratio")
	b.ReportMetric(0, "ns/op")
}

// fresh boots a form on an engine of its own.
func fresh(b *testing.B, form guest.Form) *machine {
	b.Helper()
	e, err := load(form)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.runtime.Close(context.Background()) })
	return e.boot(b)
}

// ratio is the time m takes over the time base takes.
func ratio(b *testing.B, m, base *machine, source string, runs int) float64 {
	var took [2][]time.Duration
	for range runs {
		for k, one := range []*machine{m, base} {
			start := threadTime()
			if _, err := one.eval(b, source); err != nil {
				b.Fatal(err)
			}
			took[k] = append(took[k], threadTime()-start)
			one.call(b, "JS_RunGC", one.rt)
		}
	}
	slices.Sort(took[0])
	slices.Sort(took[1])
	return float64(took[0][runs/10]) / float64(took[1][runs/10])
}

func BenchmarkBuild(b *testing.B) {
	for b.Loop() {
		if _, err := guest.Build(guest.Metered); err != nil {
			b.Fatal(err)
		}
	}
}
