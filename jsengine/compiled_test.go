package jsengine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asBody makes a program of bench/programs the body of a tool: its value is that of its
// last statement.
func asBody(source string) string {
	lines := strings.Split(strings.TrimRight(source, "\n"), "\n")
	for k := len(lines) - 1; k >= 0; k-- {
		if line := lines[k]; line != "" && !strings.ContainsAny(line[:1], " }") {
			lines[k] = "return " + line
			break
		}
	}
	return strings.Join(lines, "\n")
}

// bodiesOf are the programs of a folder as bodies of tools.
func bodiesOf(t testing.TB, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.js"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d programs in %s, %v", len(files), dir, err)
	}
	bodies := map[string]string{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body := string(source)
		if dir == benchPrograms {
			body = asBody(body)
		}
		bodies[strings.TrimSuffix(filepath.Base(file), ".js")] = body
	}
	return bodies
}

const benchPrograms, ratePrograms = "../bench/programs", "testdata/rate"

func compiled(t testing.TB, image *Image) *Image {
	t.Helper()
	image.heat.started.Store(true) // not beside the calls that are compared
	faster, err := image.engine.compiler.compile(image)
	if err != nil {
		t.Fatal(err)
	}
	return faster
}

// sameOutcome runs a call with and without compiled loops.
func sameOutcome(t testing.TB, what string, image, faster *Image, call Call) (generic Outcome) {
	t.Helper()
	var texts [2]string
	for k, one := range []*Image{image, faster} {
		call.Clock, call.Seed = VirtualClock(bootTime), 1
		out := one.Call(context.Background(), call)
		out.Usage.Elapsed = 0
		if out.Failure != nil {
			// What ran is asked for 50 ms, which may not be enough.
			out.Failure.Message, _, _ = strings.Cut(out.Failure.Message, "; it was running")
		}
		texts[k] = fmt.Sprintf("%s %+v %v", out.Result, out.Usage, out.Logs)
		if out.Failure != nil {
			texts[k] += fmt.Sprintf(" %v %q %q %v", out.Failure.Kind, out.Failure.Message, out.Failure.Stack, out.Failure.Cause)
		}
		if k == 0 {
			generic = out
		}
	}
	if texts[0] != texts[1] {
		t.Errorf("%s: the interpreter says\n%.700s\nand with compiled loops\n%.700s", what, texts[0], texts[1])
	}
	return generic
}

func TestCompiledLoopsChangeNothing(t *testing.T) {
	e := testEngine(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, dir := range []string{benchPrograms, ratePrograms} {
		for name, body := range bodiesOf(t, dir) {
			image := testImage(t, e, body)
			faster := compiled(t, image)
			if faster == nil {
				continue
			}
			limits := Limits{Statements: 1 << 40, Fuel: 100_000_000, Time: time.Hour}
			out := sameOutcome(t, name, image, faster, Call{Limits: limits})
			for range 3 {
				stop := limits
				stop.Fuel = 1 + random.Uint64N(out.Usage.Fuel)
				sameOutcome(t, name+", some fuel", image, faster, Call{Limits: stop})
				stop = limits
				stop.Statements = 1 + random.Uint64N(out.Usage.Statements)
				sameOutcome(t, name+", some statements", image, faster, Call{Limits: stop})
			}
		}
	}
}

// A stack names the lines of the calls and of the throw, which compiled code has to note
// as the interpreter does.
func TestCompiledLoopsThrowWhereTheInterpreterDoes(t *testing.T) {
	e := testEngine(t)
	image := testImage(t, e, `let all = '';
function thrower(i) {
	if (i % 2) throw new Error('odd');
	return null.x;
}
for (let i = 0; i < 9; i++) {
	try {
		if (i > 6) undefined();
		thrower(i);
	} catch (e) {
		all += e.stack;
	}
}
for (const x of [1, 2, 3]) all += x.toFixed(1);
for (;;) if (all.length) throw new TypeError(all);`)
	faster := compiled(t, image)
	if out := sameOutcome(t, "throws", image, faster, Call{}); out.Failure == nil || strings.Count(out.Failure.Message, "tool.js:3:") != 3 {
		t.Errorf("%v", out.Failure)
	}
}

func TestLoopsOfABusyImageAreCompiled(t *testing.T) {
	e := testEngine(t)
	const body = `let n = 0; for (let i = 0; i < times; i++) n = (n + i) | 0; return n`
	call := func(image *Image, times int) string {
		t.Helper()
		out := image.Call(t.Context(), Call{Arguments: fmt.Appendf(nil, `{"times":%d}`, times), Limits: Limits{Statements: 1 << 30, Fuel: 1 << 40}})
		if out.Failure != nil {
			t.Fatal(out.Failure)
		}
		return string(out.Result)
	}
	image := testImage(t, e, body, "times")
	call(image, 10)
	e.compiler.done.Wait()
	if image.heat.faster.Load() != nil {
		t.Fatal("one short call had it compiled")
	}
	for range 8 {
		call(image, 100_000)
	}
	e.compiler.done.Wait()
	faster := image.heat.faster.Load()
	if faster == nil {
		t.Fatal("many long calls did not have it compiled")
	}
	i, err := image.instance()
	if err != nil {
		t.Fatal(err)
	}
	if i.image != faster || i.loops != faster.loops {
		t.Error("a call does not get the compiled loops")
	}
	e.pool.put(i)
	if got := call(image, 1000); got != "499500" {
		t.Errorf("got %s", got)
	}
}

// An instance changes its image, and with it the loops beside it; its memory stays.
func TestAnInstanceChangesItsLoops(t *testing.T) {
	e, err := Open(context.Background(), Config{CacheDir: testCache(), Idle: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	var images []*Image
	for k := range 3 {
		image := testImage(t, e, fmt.Sprintf(`const a = []; for (let i = 0; i < 300000; i++) a.push(i + %d); return a.length + a[9]`, k))
		images = append(images, compiled(t, image))
	}
	for n := range 9 {
		out := images[n%3].Call(t.Context(), Call{Limits: Limits{Statements: 1 << 30, Fuel: 1 << 40, Memory: 64 << 20}})
		if want := fmt.Sprint(300009 + n%3); string(out.Result) != want {
			t.Errorf("got %s, %v; want %s", out.Result, out.Failure, want)
		}
	}
}

func TestOnlySoManyImagesAreCompiled(t *testing.T) {
	e := testEngine(t)
	e.machine.compiled.Add(mostCompiled)
	defer e.machine.compiled.Add(-mostCompiled)
	image := testImage(t, e, `for (let i = 0; i < 3; i++);`)
	if _, err := e.compiler.compile(image); err == nil {
		t.Error("one more was compiled")
	}
	e.Close()
	e.compiler.start(image)
	e.compiler.done.Wait()
}

func TestCompiledLoopsOfHostilePrograms(t *testing.T) {
	e := testEngine(t)
	for _, p := range hostilePrograms(t) {
		image, err := e.Image(t.Context(), Program{File: "tool.js", Body: p.body, Names: []string{"a", "b"}})
		if err != nil {
			continue
		}
		faster := compiled(t, image)
		if faster == nil {
			continue
		}
		sameOutcome(t, p.name, image, faster, Call{Arguments: p.arguments(t), Limits: p.limits(t)})
	}
}
