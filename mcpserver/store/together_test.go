package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// TestServersThatBeginTogether: three servers, each at its own member, open the same new
// buckets and streams at the same moment, again and again; none of them is left without an
// answer.
func TestServersThatBeginTogether(t *testing.T) {
	var all []*store.Store
	for _, member := range natstest.Three(t) {
		s, err := store.Connect(t.Context(), store.Cluster{URL: member.ClientURL(), Replicas: 3})
		ok(t, err)
		t.Cleanup(s.Close)
		all = append(all, s)
	}
	for n := range 8 {
		began := make(chan struct{})
		var work sync.WaitGroup
		for _, s := range all {
			work.Go(func() {
				<-began
				started := time.Now()
				_, err := s.Bucket(t.Context(), store.BucketConfig{Name: fmt.Sprint("b", n), MaxBytes: 1 << 20})
				if err == nil {
					_, err = s.Stream(t.Context(), store.StreamConfig{Name: fmt.Sprint("s", n), Subject: fmt.Sprint("subject", n)})
				}
				if err != nil {
					t.Errorf("round %d, after %v: %v", n, time.Since(started), err)
				}
			})
		}
		close(began)
		work.Wait()
	}
}
