package jsengine

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// marks leaves a mark wherever a program can write, and garbage wherever the
// engine does: the stack by recursion, the heap by objects that die.
const marks = `
	const mark = (n) => 'M4RK' + n;
	globalThis.marked = mark(1);
	var varMarked = mark(2);
	Object.prototype.marked = mark(3);
	Array.prototype.push = function () { return mark(4) };
	Promise.prototype.then.marked = mark(5);
	JSON.stringify.marked = mark(6);
	Symbol.for(mark(7));
	setTimeout.marked = mark(8);
	console.log = () => mark(9);
	const closure = (() => { const kept = mark(10); return () => kept })();
	globalThis.closure = closure;
	RegExp.prototype.exec = () => (closure(), null);
	new RegExp(mark(11)).test(mark(12));
	const map = new Map([[mark(13), new WeakMap([[closure, mark(14)]])]]);
	globalThis.map = map;
	setInterval(() => mark(15), 1e6);
	globalThis.pending = new Promise(() => mark(16)).finally(() => mark(17));
	globalThis.generator = (function* () { yield mark(18) })(); generator.next();
	const deep = (n, text) => n === 0 ? [text.repeat(2)] : [deep(n - 1, text + n), text];
	globalThis.deep = deep(300, mark(19));
	for (let n = 0; n < 3000; n++) ({ ['k' + n]: mark(n), list: [mark(n)] });
	globalThis.buffer = new Uint8Array(200000).fill(0x4d);
	globalThis.numbers = new Float64Array(1000).fill(1.2345678e77);
	try { eval('throw new Error(mark(20))') } catch (e) { globalThis.error = e }
	Math.random(); Date.now(); noSuchThing;
`

func TestNothingOfOneCallIsLeftForTheNext(t *testing.T) {
	e := testEngine(t)
	image := testImage(t, e, marks+`return argument`, "argument")
	call := Call{Arguments: []byte(`{"argument":"M4RK in an argument"}`), Seed: 1}

	i, err := e.pool.take(image)
	if err != nil {
		t.Fatal(err)
	}
	defer i.close()
	fresh := bytes.Clone(i.memory.Bytes())
	before := bytes.Count(fresh, []byte("M4RK"))

	for range 3 {
		var out Outcome
		i.execute(t.Context(), image, &call, time.Now(), &out)
		if out.Failure == nil || out.Failure.Name != "ReferenceError" {
			t.Fatalf("the program ended early: %v", out.Failure)
		}
		dirty := i.memory.Bytes()
		if n := bytes.Count(dirty, []byte("M4RK")); n < before+100 {
			t.Fatalf("only %d marks: the test tests nothing", n)
		}
		if !i.reusable() {
			t.Fatal("the instance cannot be reset")
		}
		i.reset(image)
		clean := i.memory.Bytes()
		if n := bytes.Count(clean, []byte("M4RK")); n != before {
			t.Errorf("%d marks, in the program itself are %d", n, before)
		}
		if !bytes.Equal(clean, fresh) {
			t.Errorf("memory differs from a fresh instance's at %d", firstDifference(clean, fresh))
		}
	}
}

func firstDifference(a, b []byte) int {
	for n := range a {
		if a[n] != b[n] {
			return n
		}
	}
	return -1
}

// An instance may serve any image of its size after any other.
func TestAnInstanceCanChangeItsImage(t *testing.T) {
	e := testEngine(t)
	one, two := testImage(t, e, `globalThis.left = 'M4RK'; return 1`), testImage(t, e, `return [2, typeof left]`+"\n// "+string(bytes.Repeat([]byte("x"), 50_000)))
	fresh, err := e.machine.newInstance(e.base.pages, uint64(two.pages.Size()), DefaultLimits.Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer fresh.close()
	fresh.reset(two)
	for range 4 {
		one.Call(t.Context(), Call{})
		if out := two.Call(t.Context(), Call{}); string(out.Result) != `[2,"undefined"]` {
			t.Fatalf("got %s, failure %v", out.Result, out.Failure)
		}
	}
	i, err := e.machine.newInstance(e.base.pages, uint64(one.pages.Size()), DefaultLimits.Memory)
	if err != nil {
		t.Fatal(err)
	}
	defer i.close()
	i.reset(one)
	i.reset(two)
	if !bytes.Equal(i.memory.Bytes(), fresh.memory.Bytes()) {
		t.Error("the memory depends on the image before")
	}
}

// Images must be the same on every machine, or fuel would not be.
func TestImagesAreReproducible(t *testing.T) {
	a, b := testImage(t, testEngine(t), `return 1`), testImage(t, testEngine(t), `return 1`)
	if a.pages.Size() != b.pages.Size() || a.realm != b.realm {
		t.Fatalf("size %d and %d, realm %+v and %+v", a.pages.Size(), b.pages.Size(), a.realm, b.realm)
	}
	for n := range a.pages.Size() / linear.PageSize {
		if !bytes.Equal(a.pages.Page(n), b.pages.Page(n)) {
			t.Errorf("page %d differs", n)
		}
	}
}

func TestAToolsImageSharesThePagesOfTheBase(t *testing.T) {
	e := testEngine(t)
	image := testImage(t, e, `return 1`)
	own, all := 0, 0
	for n := range image.pages.Size() / linear.PageSize {
		page, base := image.pages.Page(n), e.base.pages.Page(n)
		if page == nil {
			continue
		}
		all++
		if base == nil || &page[0] != &base[0] {
			own++
		}
	}
	t.Logf("%d pages, %d of its own", all, own)
	if own > all/2 {
		t.Errorf("%d of %d pages are the tool's own", own, all)
	}
}

// Instances serve every image of their size, so an ordinary tool must not grow it.
func TestImagesHaveTheSizeOfTheBase(t *testing.T) {
	e := testEngine(t)
	for _, kib := range []int{1, 10, 100, 500} {
		image := testImage(t, e, "return 1\n// "+string(bytes.Repeat([]byte("x"), kib<<10)))
		if image.pages.Size() != e.base.pages.Size() {
			t.Errorf("with %d KiB of code an image has %d bytes, the base %d", kib, image.pages.Size(), e.base.pages.Size())
		}
	}
}

// A tool may carry a table or a library with it. This one takes 2.5 G of fuel to
// compile.
func TestAMegabyteOfCodeCompiles(t *testing.T) {
	var body strings.Builder
	for n := range 13_000 {
		fmt.Fprintf(&body, "function f%d(a, b) { if (a > b) { return a + %[1]d } for (let i = 0; i < a; i++) b += i; return b }\n", n)
	}
	out := testImage(t, testEngine(t), body.String()+"return f12999(2, 1)").Call(t.Context(), Call{})
	if string(out.Result) != "13001" {
		t.Errorf("%d bytes: %s, %v", body.Len(), out.Result, out.Failure)
	}
}

// Guests with the same seed and clock spend the same, whatever ran before them
// on the instance.
func TestFuelIsExact(t *testing.T) {
	e := testEngine(t)
	image := testImage(t, e, `
		const words = Array.from({ length: 200 }, () => Math.random().toString(36)).sort();
		return [words.length, JSON.parse(JSON.stringify(words)).length, /(a+)+$/.test('aaaaaaaaaaaaaaa!'), performance.now() >= 0]`)
	dirty := testImage(t, e, `globalThis.x = new Array(1000).fill({}); return 1`)
	var first Usage
	for n := range 50 {
		out := image.Call(t.Context(), Call{Seed: 7, Clock: VirtualClock(bootTime)})
		if out.Failure != nil {
			t.Fatal(out.Failure)
		}
		dirty.Call(t.Context(), Call{})
		if n == 0 {
			first = out.Usage
		}
		if u := out.Usage; u.Fuel != first.Fuel || u.Bulk != first.Bulk || u.Operations != first.Operations || u.PeakMemory != first.PeakMemory {
			t.Fatalf("run %d spent %+v, the first %+v", n, u, first)
		}
	}
}
