package main

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"github.com/glovebox-run/glovebox/mcpserver/store"
	"github.com/glovebox-run/glovebox/mcpserver/store/natstest"
)

// TestANewerClusterIsLeftAlone: a server that finds a format one newer than its own in the
// cluster ends, says why, and changes nothing.
func TestANewerClusterIsLeftAlone(t *testing.T) {
	t.Parallel()
	url := natstest.One(t, nil).ClientURL()
	s, err := store.Connect(t.Context(), store.Cluster{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	first := replicas(t, url, 1)[0]
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-first.ended
	b, err := s.Bucket(t.Context(), store.BucketConfig{Name: "glovebox-approval-secret", MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	before, err := b.Get(t.Context(), "format")
	if err != nil {
		t.Fatal(err)
	}
	newer, err := b.Update(t.Context(), "format", []byte("2"), before.Revision)
	if err != nil || string(before.Value) != "1" {
		t.Fatalf("%q, %v", before.Value, err)
	}
	out, err := first.command("serve", "--listen", "127.0.0.1:0", "--folder", first.specs, "--nats", url).CombinedOutput()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || !strings.Contains(string(out), `format "2"`) {
		t.Errorf("%v: %s", err, out)
	}
	if now, err := b.Get(t.Context(), "format"); err != nil || now.Revision != newer {
		t.Errorf("what was refused was changed: %+v, %v", now, err)
	}
}
