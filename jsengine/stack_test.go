//go:build linux && (amd64 || arm64)

package jsengine

import (
	"testing"
	"time"
)

// What wazero keeps under the names that growStack knows is where recursion goes:
// the stack is still the mapping after the deepest of it, and most of it was used.
func TestTheNativeStackNeverGrows(t *testing.T) {
	e := testEngine(t)
	image := testImage(t, e, `let depth = 0; function f() { depth++; f() } try { f() } catch {} return depth`)
	i, err := e.pool.take(image)
	if err != nil {
		t.Fatal(err)
	}
	defer i.close()
	i.stack.Trim(0, i.memory)
	var out Outcome
	i.execute(t.Context(), image, &Call{}, time.Now(), &out)
	if out.Failure != nil {
		t.Fatal(out.Failure)
	}
	again := growStack(i.outer.dispatch)
	defer again.Free()
	if i.stack == nil || again == nil {
		t.Fatal("wazero's functions are not what growStack knows")
	}
	used := len(i.stack)
	for n, b := range i.stack {
		if b != 0 {
			used -= n
			break
		}
	}
	t.Logf("%d of %d bytes used, depth %s", used, len(i.stack), out.Result)
	if used < 1<<20 || used > len(i.stack)*3/4 {
		t.Errorf("%d of %d bytes were used at the depth of %s", used, len(i.stack), out.Result)
	}
}

// Parsers and walkers of trees go deep; 5,000 calls fit.
func TestRecursionGoesFiveThousandDeep(t *testing.T) {
	out := testImage(t, testEngine(t), `
		const down = (n) => n === 0 ? 0 : 1 + down(n - 1);
		class Tree { depth(n) { return n === 0 ? 0 : 1 + this.depth(n - 1); } }
		function sum(n) { if (n === 0) return 0; const rest = sum(n - 1); return rest + 1; }
		return [down(5000), new Tree().depth(5000), sum(5000)];`).Call(t.Context(), Call{})
	if out.Failure != nil || string(out.Result) != "[5000,5000,5000]" {
		t.Errorf("%s, %v", out.Result, out.Failure)
	}
}
