package approve_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/mcpserver/approve"
	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
	"github.com/glovebox-run/glovebox/risk"
)

// TestEveryAnswerCountsWhileLeadersStepDown: three servers on three members, and the
// leader of the questions steps down again and again. Every answer counts, once, the
// first time it is given, and within the time that an election takes.
func TestEveryAnswerCountsWhileLeadersStepDown(t *testing.T) {
	members := natstest.Three(t)
	c := &clock{}
	var desks []*approve.Desk
	for _, member := range members {
		s, err := store.Connect(t.Context(), store.Cluster{URL: member.ClientURL(), Replicas: 3})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		desks = append(desks, deskIn(t, s, c))
	}
	conn, err := nats.Connect(members[0].ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	working, end := context.WithCancel(t.Context())
	defer end()
	var elections atomic.Int32
	unrest := make(chan struct{})
	go func() {
		defer close(unrest)
		for working.Err() == nil {
			reply, err := conn.Request("$JS.API.STREAM.LEADER.STEPDOWN.KV_glovebox-approvals", nil, time.Second)
			if err == nil && gjson.GetBytes(reply.Data, "success").Bool() {
				elections.Add(1)
			}
			select {
			case <-working.Done():
			case <-time.After(400 * time.Millisecond):
			}
		}
	}()

	const callers, each, enough, most = 6, 12, 5, 2000
	var answered atomic.Int32
	var slowest atomic.Int64
	timed := func(what string, f func() error) {
		began := time.Now()
		if err := f(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if took := int64(time.Since(began)); took > slowest.Load() {
			slowest.Store(took)
		}
	}
	var all sync.WaitGroup
	for caller := range callers {
		all.Go(func() {
			for n := 0; n < each || elections.Load() < enough && n < most; n++ {
				answered.Add(1)
				call := approve.Call{Principal: fmt.Sprint("token:", caller), Arguments: risk.HashArguments(fmt.Append(nil, n))}
				asks, answers, runs := desks[n%3], desks[(n+1)%3], desks[(n+2)%3]
				var state string
				timed("asking", func() (err error) {
					_, state, err = asks.Ask(t.Context(), question(call))
					return err
				})
				timed("answering", func() error {
					_, err := answers.Answer(t.Context(), state, call, approve.Approved, false)
					return err
				})
				timed("running", func() error {
					_, granted, err := runs.Use(t.Context(), call)
					if err == nil && !granted {
						err = errors.New("the answer did not count")
					}
					return err
				})
				timed("running again", func() error {
					_, granted, err := asks.Use(t.Context(), call)
					if err == nil && granted {
						err = errors.New("the answer counted again")
					}
					return err
				})
			}
		})
	}
	all.Wait()
	end()
	<-unrest
	if elections.Load() < enough {
		t.Errorf("only %d elections", elections.Load())
	}
	t.Logf("%d answers in %d elections; the slowest step took %v", answered.Load(), elections.Load(), time.Duration(slowest.Load()))
}
