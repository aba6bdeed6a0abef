package jsengine

import (
	"bytes"
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// An instance that no call needs gives its memory back, and the next call finds all of
// it as in its image.
func TestAnInstanceThatIsNotNeededRests(t *testing.T) {
	e, err := Open(context.Background(), Config{CacheDir: testCache(), Idle: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	e.pool.close()
	e.pool = newPool(e.machine, 2, time.Millisecond, nil)
	image := testImage(t, e, `const a = globalThis.a; globalThis.a = [1]; return [typeof a, x]`, "x")
	for _, x := range []string{"1", "2"} {
		out := image.Call(context.Background(), Call{Arguments: []byte(`{"x":` + x + `}`)})
		if want := `["undefined",` + x + `]`; out.Failure != nil || string(out.Result) != want {
			t.Fatalf("got %s, failure %v, want %s", out.Result, out.Failure, want)
		}
		i := resting(t, e.pool)
		// Elsewhere memory is not mapped, and stays.
		if gone := differing(i, image); (gone > 0) != (runtime.GOOS == "linux") || i.fresh == (gone > 0) {
			t.Errorf("%d pages of the image are gone, fresh: %v", gone, i.fresh)
		}
		taken, err := e.pool.take(image)
		if err != nil {
			t.Fatal(err)
		}
		if taken != i || taken.resting {
			t.Error("the pool made another instance, or this one still rests")
		}
		if n := differing(taken, image); n > 0 {
			t.Errorf("%d pages are not as in the image", n)
		}
		e.pool.put(taken)
		resting(t, e.pool)
	}
}

// resting waits until the pool has one instance, which rests.
func resting(t *testing.T, p *pool) *instance {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); runtime.Gosched() {
		p.mu.Lock()
		clean := p.clean
		done := len(p.dirty) == 0 && len(clean) == 1 && clean[0].resting
		p.mu.Unlock()
		if done {
			return clean[0]
		}
	}
	t.Fatal("no instance rests after a minute")
	return nil
}

// An instance that was needed a moment ago does not rest.
func TestOnlyInstancesThatWaitedLongRest(t *testing.T) {
	now := time.Now()
	old, young := &instance{cleaned: now.Add(-time.Hour), resting: true}, &instance{cleaned: now}
	p := &pool{clean: []*instance{old, young}}
	if !p.rest(now.Add(-time.Minute)) || young.resting {
		t.Error("the younger instance rests")
	}
	p.clean = p.clean[:1]
	if p.rest(now) {
		t.Error("a resting instance counts as awake")
	}
}

// differing is how many pages of the instance are not as in the image.
func differing(i *instance, image *Image) (n int) {
	var zero [linear.PageSize]byte
	for k := range image.pages.Size() / linear.PageSize {
		want := image.pages.Page(k)
		if want == nil {
			want = zero[:]
		}
		if !bytes.Equal(i.memory.Bytes()[k*linear.PageSize:(k+1)*linear.PageSize], want) {
			n++
		}
	}
	return n
}

// What the first call after a rest waits for, beside BenchmarkNewInstance.
func BenchmarkResetAfterRest(b *testing.B) {
	e := testEngine(b)
	image := testImage(b, e, `return 1`)
	i, err := e.pool.take(image)
	if err != nil {
		b.Fatal(err)
	}
	defer i.close()
	for b.Loop() {
		b.StopTimer()
		i.rest()
		b.StartTimer()
		i.reset(image)
	}
}
