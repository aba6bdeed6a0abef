package oracle

import (
	"testing"
)

func TestQuick(t *testing.T) {
	wt, err := newWasmtime()
	if err != nil {
		t.Fatal(err)
	}
	wz, err := newWazero(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{"1+1", "for(let i=0;i<1000;i++);[1,2,3].map(String).join()", "JSON.stringify(JSON.parse('[1,{\"a\":[]}]'))", "function f(){return f()+1};f()", "for(;;);"} {
		a, err := wt.instance(1 << 28)
		if err != nil {
			t.Fatal(err)
		}
		b, err := wz.instance(1<<28, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		x, err1 := run(a, src, 1<<40)
		y, err2 := run(b, src, 1<<40)
		t.Log(src, x, err1, y, err2)
	}
}
