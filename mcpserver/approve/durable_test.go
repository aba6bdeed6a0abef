package approve_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/risk"
)

func TestQuestionsOutliveTheProcess(t *testing.T) {
	dir, c := t.TempDir(), &clock{}
	s, err := store.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := deskIn(t, s, c)
	state := ask(t, first, theCall())
	other := theCall()
	other.Policy = "q"
	id, _ := opened(t, first, other)
	answer(t, first, id, true)
	s.Close()
	if s, err = store.Open(t.Context(), dir, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	second := deskIn(t, s, c)
	if err := redeem(second, state, theCall()); err != nil {
		t.Errorf("an answer that comes after a restart: %v", err)
	}
	if !use(t, second, other) {
		t.Error("a grant from before the restart does not count")
	}
	if use(t, second, other) {
		t.Error("it counts twice")
	}
}

// TestMembersOfAClusterShareOneYes: two processes with one store behind them. One
// asks, the other answers, and all try to use it.
func TestMembersOfAClusterShareOneYes(t *testing.T) {
	cluster := natstest.One(t, nil)
	c := &clock{}
	var desks []*approve.Desk
	for range 3 {
		s, err := store.Connect(t.Context(), store.Cluster{URL: cluster.ClientURL()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		desks = append(desks, deskIn(t, s, c))
	}
	for round := range 5 {
		call := theCall()
		call.Arguments = risk.HashArguments([]byte{byte(round)})
		ids := make([]string, 30)
		states := make([]string, 30)
		var wg sync.WaitGroup
		for i := range ids {
			wg.Go(func() {
				e, state, err := desks[i%3].Ask(context.Background(), question(call))
				if err != nil {
					t.Error(err)
				}
				ids[i], states[i] = e.ID, state
			})
		}
		wg.Wait()
		for _, id := range ids {
			if id != ids[0] {
				t.Fatal("one call, two questions")
			}
		}
		answer(t, desks[1], ids[0], true)
		var counted atomic.Int32
		for i, state := range states {
			wg.Go(func() {
				if redeem(desks[i%3], state, call) == nil {
					counted.Add(1)
				}
			})
			wg.Go(func() {
				if _, granted, err := desks[(i+1)%3].Use(context.Background(), call); err != nil {
					t.Error(err)
				} else if granted {
					counted.Add(1)
				}
			})
		}
		wg.Wait()
		if counted.Load() != 1 {
			t.Errorf("round %d: it counted %d times", round, counted.Load())
		}
	}
}

// childDir tells this program to run as the process that is killed.
const childDir = "GLOVEBOX_TEST_DESK"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		fmt.Println(live(dir))
		os.Exit(1) // the parent kills it before
	}
	os.Exit(m.Run())
}

// callNumber returns the child's nth call.
func callNumber(n int) approve.Call {
	return approve.Call{Principal: fmt.Sprintf("token:%d", n%5), Arguments: risk.HashArguments(fmt.Append(nil, n))}
}

// live asks, answers and spends until it is killed, and reports each step once it is
// acknowledged.
func live(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	d, err := approve.OpenDesk(ctx, s, approve.Settings{}, time.Now)
	if err != nil {
		return err
	}
	for n := rand.IntN(1 << 30); ; n++ {
		c := callNumber(n)
		q := question(c)
		e, state, err := d.Ask(ctx, q)
		if err != nil {
			return err
		}
		fmt.Println("asked", n, e.ID, state)
		if err := d.Resolve(ctx, e.ID, approve.Resolution{Approve: true, By: "uid 7"}); err != nil {
			return err
		}
		fmt.Println("approved", n, e.ID, state)
		if _, granted, err := d.Use(ctx, c); err != nil || !granted {
			return fmt.Errorf("used: %v, %v", granted, err)
		}
		fmt.Println("used", n, e.ID, state)
	}
}

// TestAKilledProcessForgetsNothing kills a process at some point in the life of a
// question and then resumes: an open question can be answered, an unspent yes can be
// spent, and no yes can be spent twice.
func TestAKilledProcessForgetsNothing(t *testing.T) {
	dir := t.TempDir()
	var seen []string
	for range 10 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childDir+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		var last []string
		lines := bufio.NewScanner(out)
		for n, most := 0, 1+rand.IntN(40); lines.Scan(); n++ {
			last = strings.Fields(lines.Text())
			if n == most {
				child.Process.Kill()
			}
		}
		child.Wait()
		var n int
		if len(last) != 4 {
			t.Fatalf("the child says %q", last)
		}
		fmt.Sscan(last[1], &n)
		seen = append(seen, last[0])
		resume(t, dir, last[0], callNumber(n), last[2], last[3])
	}
	t.Logf("killed after %v", seen)
}

// resume continues with a question that had reached a step for certain, and perhaps
// the next one.
func resume(t *testing.T, dir, step string, c approve.Call, id, state string) {
	t.Helper()
	s, err := store.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, err := approve.OpenDesk(t.Context(), s, approve.Settings{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	e, err := d.Show(t.Context(), id)
	if err != nil {
		t.Fatalf("after %s: %v", step, err)
	}
	may := map[string]string{"asked": "open approved", "approved": "approved used", "used": "used"}[step]
	if !strings.Contains(may, string(e.State)) {
		t.Errorf("after %s it is %s", step, e.State)
	}
	counted := 0
	if redeem(d, state, c) == nil {
		counted++
	}
	if use(t, d, c) {
		counted++
	}
	if redeem(d, state, c) == nil {
		counted++
	}
	if want := 1; e.State == approve.Used && counted != 0 || e.State != approve.Used && counted != want {
		t.Errorf("after %s, %s, the yes counted %d times", step, e.State, counted)
	}
}
