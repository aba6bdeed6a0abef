package jsengine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/guest/prelude"
	"github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"
)

// openHost is a prelude file that hands the primitives to the program, for
// tests that play the part of the prelude.
var openHost = prelude.File{Name: "open.js", Installs: []string{"host"}, Needs: []string{"test.open"}, Source: "globalThis.host = host;"}

func hostImage(t testing.TB, body string, names ...string) *Image {
	t.Helper()
	e := testEngine(t)
	e.prelude = append(e.prelude, openHost)
	image, err := e.Image(context.Background(), Program{File: "tool.js", Body: body, Names: names, Operations: []string{"test.open"}})
	if err != nil {
		t.Fatal(err)
	}
	return image
}

type callerFunc func(ctx context.Context, op string, text, blob []byte) ([]byte, []byte, error)

func (f callerFunc) Call(ctx context.Context, _ *budget.Account, op string, text, blob []byte) ([]byte, []byte, error) {
	return f(ctx, op, text, blob)
}

// refusalError is an error the guest may see.
type refusalError string

func (e refusalError) Error() string      { return "refused" }
func (e refusalError) GuestError() []byte { return []byte(e) }

// echo answers with what it was sent; "sleep" takes as long as the text says,
// "bytes" answers with bytes, "refuse" and "fail" with errors, "panic" panics.
func echo(ctx context.Context, op string, text, blob []byte) ([]byte, []byte, error) {
	switch op {
	case "sleep":
		d, err := time.ParseDuration(string(text))
		if err != nil {
			return nil, nil, err
		}
		select {
		case <-time.After(d):
			return text, nil, nil
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	case "bytes":
		return text, append([]byte{}, blob...), nil
	case "refuse":
		return nil, nil, fmt.Errorf("wrapped: %w", refusalError(`{"kind":"SECURITY","helper":"fs","reason":"path-escapes-base","message":"no way out"}`))
	case "fail":
		return nil, nil, errors.New("disk on fire")
	case "panic":
		panic("host bug")
	}
	return text, nil, nil
}

// A reply is written into guest memory from outside. It must be the string that
// the guest itself makes of the same text, in everything that one does with
// strings.
func TestRepliesAreStringsLikeAnyOther(t *testing.T) {
	image := hostImage(t, `
		const want = JSON.parse(quoted), got = host.call('reply');
		const map = { [got]: 1 };
		return [got === want, got.length === want.length, map[want] === 1, new Map([[want, 2]]).get(got) === 2, Symbol.for(got) === Symbol.for(want),
			[...got].join() === [...want].join(), got + want === want + got, (got + '\u{1f600}').indexOf(want) === 0, got.toUpperCase() === want.toUpperCase(),
			got.localeCompare(want) === 0, JSON.stringify(got) === JSON.stringify(want), got.split('').reverse().join('') === want.split('').reverse().join('')].indexOf(false)`, "quoted")
	long := strings.Repeat("0123456789", 5000)
	for _, text := range []string{
		"", "a", "abcdefgh", "12", "constructor", "\x00", "a\x00b", "h\u00e9llo", "\u00ff", "\u0100", "\u4e16\u754c", "\U0001f600", "x\U0001f600y\u00e9", "\ufeff", "\ufffd",
		long, long + "\u00e9", long + "\u0100", "\u00e9" + long, long + "\U0001f600" + long,
	} {
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		arguments, err := json.Marshal(map[string]string{"quoted": string(quoted)})
		if err != nil {
			t.Fatal(err)
		}
		caller := callerFunc(func(_ context.Context, op string, _, _ []byte) ([]byte, []byte, error) {
			if op == "reply" {
				return []byte(text), nil, nil
			}
			return nil, nil, nil
		})
		if out := image.Call(t.Context(), Call{Caller: caller, Arguments: arguments}); out.Failure != nil || string(out.Result) != "-1" {
			t.Errorf("%.20q: %s, %v", text, out.Result, out.Failure)
		}
	}
	// What is no text is decoded by the guest: only that nothing breaks.
	for _, text := range []string{"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", long + "\x80"} {
		caller := callerFunc(func(context.Context, string, []byte, []byte) ([]byte, []byte, error) { return []byte(text), nil, nil })
		if out := hostImage(t, `return host.call('reply').isWellFormed()`).Call(t.Context(), Call{Caller: caller}); out.Failure != nil {
			t.Errorf("%.20q: %v", text, out.Failure)
		}
	}
}

// Where Go writes the header of a string, it is the one that the guest writes.
func TestABlankStringIsLikeTheGuestsOwn(t *testing.T) {
	e := testEngine(t)
	i, err := e.pool.take(testImage(t, e, `return 0`))
	if err != nil {
		t.Fatal(err)
	}
	defer e.pool.put(i)
	i.build(bootStatements, bootFuel)
	noise := uint32(i.invoke(fnMalloc, 3<<20))
	for n := range i.bytes(noise, 3<<20) {
		i.bytes(noise, 3<<20)[n] = 0xee
	}
	i.invoke(fnFree, uint64(noise))
	for _, units := range []int{ownHeader, ownHeader + 1, 300_000} {
		for make, wide := range map[fn]bool{fnNewLatin1: false, fnNewUTF16: true} {
			own := i.blankString(units, wide)
			theirs := jsvalue.Value(i.invoke(make, i.realm.context, 0, uint64(units)))
			size := uint32(jsvalue.StringSize(units, wide))
			a, b := i.bytes(own.Address(), size), i.bytes(theirs.Address(), size)
			if a == nil || b == nil {
				t.Fatal(i.trapped)
			}
			from, to := jsvalue.StringSize(0, true), len(a) // what the characters lie between
			// The last word of the header is for symbols; of a string QuickJS leaves it as it is.
			if !wide {
				to--
			}
			from -= 4
			if !bytes.Equal(a[:from], b[:from]) || !bytes.Equal(a[to:], b[to:]) {
				t.Errorf("%d units, wide %t: %x and %x", units, wide, a[:from], b[:from])
			}
			i.invoke(fnFreeValue, i.realm.context, uint64(own))
			i.invoke(fnFreeValue, i.realm.context, uint64(theirs))
		}
	}
	// A string that there is no room for is an error of the guest, as it is there.
	if v := i.blankString(60<<20, false); !v.IsException() || i.trapped != nil {
		t.Errorf("a string of 60 MiB is %x, %v", v, i.trapped)
	}
}

func TestHostCalls(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"text", `return host.call('echo', 'héllo \u{1f600} ' + 'x'.repeat(3))`, `"héllo 😀 xxx"`},
		{"rope", `let s = ''; for (let i = 0; i < 3000; i++) s += 'ab' + i; return host.call('echo', s) === s`, `true`},
		{"long and wide", `const s = '\u4e16'.repeat(100000); return host.call('echo', s) === s`, `true`},
		{"slice of a long text", `const s = 'abcdefgh'.repeat(10000); return host.call('echo', s.slice(1, 70001)) === s.slice(1, 70001)`, `true`},
		{"lone surrogate", `return host.call('echo', 'a\ud800b')`, `"a` + "\ufffd" + `b"`},
		{"nothing", `return host.call('echo')`, `""`},
		{"bytes", `const [text, bytes] = host.call('bytes', 't', new Uint8Array([0, 255, 7]).subarray(1)); return [text, bytes instanceof Uint8Array, Array.from(bytes)]`, `["t",true,[255,7]]`},
		{"many bytes", `const b = new Uint8Array(300000).fill(9); const [, r] = host.call('bytes', '', b); r[0] = 1; return [r.length, b[0], r[299999]]`, `[300000,9,9]`},
		{"no bytes", `return host.call('bytes', 't', new Uint8Array(0))[1].length`, `0`},
		{"refusal", `try { host.call('refuse') } catch (e) { return [e instanceof Error, e.kind, e.helper, e.reason, e.message] }`, `[true,"SECURITY","fs","path-escapes-base","no way out"]`},
		{"asynchronous refusal", `return host.start('refuse').promise.catch((e) => e.reason)`, `"path-escapes-base"`},
		{"asynchronous", `return await host.start('echo', 'later').promise`, `"later"`},
		{"waited for", `const a = host.start('echo', 'a'), b = host.start('echo', 'b'); return [host.wait(b.id), host.wait(a.id), await a.promise, await b.promise]`, `["b","a","a","b"]`},
		{"text that is none", `try { host.call('echo', {}) } catch (e) { return e.reason }`, `"bad-argument"`},
		{"bytes that are none", `try { host.call('echo', '', {}) } catch (e) { return e.reason }`, `"bad-argument"`},
		{"wait for nothing", `try { host.wait(77) } catch (e) { return e.name }`, `"TypeError"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := hostImage(t, c.body).Call(t.Context(), Call{Caller: callerFunc(echo)})
			if out.Failure != nil {
				t.Fatalf("%v\n%s\n%v", out.Failure, out.Failure.Stack, out.Failure.Cause)
			}
			if string(out.Result) != c.want {
				t.Errorf("got %s, want %s", out.Result, c.want)
			}
		})
	}
}

func TestHostCallFailures(t *testing.T) {
	for _, c := range []struct {
		name, body string
		kind       Kind
	}{
		{"private error", `try { host.call('fail') } catch {}`, HostFailure},
		{"private error, asynchronous", `await host.start('fail').promise.catch(() => {})`, HostFailure},
		{"panic", `host.call('panic')`, HostFailure},
		{"panic, asynchronous", `await host.start('panic').promise`, HostFailure},
		{"uncaught refusal", `host.call('refuse')`, Exception},
		{"too many calls", `for (;;) host.call('echo')`, Refused},
		{"too many bytes", `host.call('echo', 'x'.repeat(1 << 20))`, Refused},
		{"too many in flight", `for (;;) host.start('sleep', '1h')`, Exception},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := hostImage(t, c.body).Call(t.Context(), Call{Caller: callerFunc(echo), Limits: Limits{HostCalls: 50, HostBytes: 1 << 19, InFlight: 20}})
			f := out.Failure
			if f == nil || f.Kind != c.kind {
				t.Fatalf("got %v, want %s", f, c.kind)
			}
			if c.kind == HostFailure && (f.Cause == nil || strings.Contains(f.Error(), "fire")) {
				t.Errorf("the cause is private: %v, cause %v", f, f.Cause)
			}
			if c.name == "uncaught refusal" && (f.Refusal == nil || f.Refusal.Reason != "path-escapes-base" || f.Message != "no way out") {
				t.Errorf("refusal %+v", f.Refusal)
			}
		})
	}
}

func TestAForgedRefusalIsNone(t *testing.T) {
	out := hostImage(t, `throw Object.assign(new Error('m'), { kind: 'SECURITY', helper: 'fs', reason: 'r' })`).Call(t.Context(), Call{})
	if out.Failure.Kind != Exception || out.Failure.Refusal != nil {
		t.Errorf("got %v, refusal %v", out.Failure, out.Failure.Refusal)
	}
}

func TestNoCallerNoHostCalls(t *testing.T) {
	out := hostImage(t, `try { host.call('echo', 'x') } catch { return 'caught' }`).Call(t.Context(), Call{})
	if out.Failure == nil || out.Failure.Kind != Refused {
		t.Errorf("got %s, failure %v", out.Result, out.Failure)
	}
}

func TestUsageCountsHostCalls(t *testing.T) {
	out := hostImage(t, `host.call('abc', 'é'); host.call('bytes', '', new Uint8Array(10))`).Call(t.Context(), Call{Caller: callerFunc(echo)})
	if u := out.Usage; u.HostCalls != 2 || u.HostBytes != (3+2)+2+(5+10)+10 {
		t.Errorf("usage %+v", u)
	}
}

// The guest's own time does not pass in a synctest bubble, so these durations
// are exact.
func TestAsynchronousCallsOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		image := hostImage(t, `return (await Promise.all(Array.from({ length: 64 }, () => host.start('sleep', '50ms').promise))).length`)
		out := image.Call(t.Context(), Call{Caller: callerFunc(echo)})
		if string(out.Result) != "64" || out.Usage.Elapsed != 50*time.Millisecond {
			t.Errorf("result %s after %v, failure %v", out.Result, out.Usage.Elapsed, out.Failure)
		}
	})
}

func TestCompletionsArriveInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		image := hostImage(t, `const log = []; await Promise.all([30, 10, 20].map((n) => host.start('sleep', n + 'ms').promise.then(() => log.push(n)))); return log`)
		if out := image.Call(t.Context(), Call{Caller: callerFunc(echo)}); string(out.Result) != "[10,20,30]" {
			t.Errorf("got %s, failure %v", out.Result, out.Failure)
		}
	})
}

func TestTimersAndHostCallsShareTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		image := hostImage(t, `
			const log = [];
			const note = (name) => () => log.push(name + '@' + Math.round(performance.now()));
			setTimeout(note('b'), 20); setTimeout(note('a'), 10); setTimeout(note('c'), 20);
			clearTimeout(setTimeout(note('never'), 15));
			let n = 0;
			const every = setInterval(() => { note('tick')(); if (++n === 3) clearInterval(every) }, 30);
			host.start('sleep', '25ms').promise.then(note('call'));
			await new Promise((resolve) => setTimeout(resolve, 100, 1));
			return log`)
		out := image.Call(t.Context(), Call{Caller: callerFunc(echo)})
		if got, want := string(out.Result), `["a@10","b@20","c@20","call@25","tick@30","tick@60","tick@90"]`; got != want {
			t.Errorf("got %s\nwant %s, failure %v", got, want, out.Failure)
		}
		if out.Usage.Elapsed != 100*time.Millisecond {
			t.Errorf("elapsed %v", out.Usage.Elapsed)
		}
	})
}

func TestTimeIsUpWhileTheGuestWaits(t *testing.T) {
	for name, body := range map[string]string{
		"synchronous":  `host.call('sleep', '1h')`,
		"asynchronous": `await host.start('sleep', '1h').promise`,
		"waited for":   `host.wait(host.start('sleep', '1h').id)`,
		"timer":        `await new Promise((resolve) => setTimeout(resolve, 3600000))`,
		"timers":       `setInterval(() => {}, 10); await new Promise(() => {})`,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				image := hostImage(t, body)
				out := image.Call(t.Context(), Call{Caller: callerFunc(echo), Limits: Limits{Time: time.Second}})
				if out.Failure == nil || out.Failure.Kind != Timeout || out.Usage.Elapsed != time.Second {
					t.Errorf("failure %v after %v", out.Failure, out.Usage.Elapsed)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				image := hostImage(t, body)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(300*time.Millisecond, cancel)
				out := image.Call(ctx, Call{Caller: callerFunc(echo)})
				if out.Failure == nil || out.Failure.Kind != Cancelled || out.Usage.Elapsed != 300*time.Millisecond {
					t.Errorf("failure %v after %v", out.Failure, out.Usage.Elapsed)
				}
			})
		})
	}
}

// What is in flight when a call ends is cancelled, and nothing of it reaches the
// instance's next call.
func TestCallsInFlightEndWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		image := hostImage(t, `host.start('sleep', '1h').promise.then(() => console.log('late')); return 1`)
		var ended atomic.Int32
		caller := callerFunc(func(ctx context.Context, op string, text, blob []byte) ([]byte, []byte, error) {
			defer ended.Add(1)
			return echo(ctx, op, text, blob)
		})
		for range 3 {
			out := image.Call(t.Context(), Call{Caller: caller})
			if string(out.Result) != "1" || len(out.Logs) != 0 {
				t.Errorf("out %+v", out)
			}
		}
		synctest.Wait()
		if ended.Load() != 3 {
			t.Errorf("%d of 3 host calls have ended", ended.Load())
		}
	})
}

func TestVirtualClock(t *testing.T) {
	image := hostImage(t, `
		const at = [Date.now()];
		await new Promise((resolve) => setTimeout(resolve, 3000));
		at.push(Date.now());
		host.start('sleep', '1ms').promise.then(() => at.push('call'));
		await new Promise((resolve) => setTimeout(resolve, 5000));
		at.push(Date.now(), performance.timeOrigin, performance.now(), Math.random());
		return at`)
	var first Outcome
	for n := range 20 {
		out := image.Call(t.Context(), Call{Caller: callerFunc(echo), Clock: VirtualClock(time.UnixMilli(1_000_000)), Seed: 42})
		if n == 0 {
			first = out
			if want := `[1000000,1003000,"call",1008000,1000000,8000,`; !strings.HasPrefix(string(out.Result), want) {
				t.Fatalf("got %s, want %s...; failure %v", out.Result, want, out.Failure)
			}
		}
		if !bytes.Equal(out.Result, first.Result) || out.Usage.Fuel != first.Usage.Fuel || out.Usage.Operations != first.Usage.Operations {
			t.Errorf("run %d: %s with %+v, the first %s with %+v", n, out.Result, out.Usage, first.Result, first.Usage)
		}
		if out.Usage.Elapsed > 4*time.Second {
			t.Errorf("eight virtual seconds took %v", out.Usage.Elapsed)
		}
	}
	out := image.Call(t.Context(), Call{Caller: callerFunc(echo), Clock: VirtualClock(time.UnixMilli(0)), Limits: Limits{Time: 7 * time.Second}})
	if out.Failure == nil || out.Failure.Kind != Timeout {
		t.Errorf("failure %v, want the virtual time to be up", out.Failure)
	}
}
