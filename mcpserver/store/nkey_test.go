package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/glovebox-run/glovebox/mcpserver/store"
)

// TestANkeyOpensACluster: the member knows the public half, the file has the seed. Another
// seed, none, and a file without one are refused in words that do not show it.
func TestANkeyOpensACluster(t *testing.T) {
	seed := func() (file, seed, public string) {
		pair, err := nkeys.CreateUser()
		ok(t, err)
		text, err := pair.Seed()
		ok(t, err)
		public, err = pair.PublicKey()
		ok(t, err)
		file = filepath.Join(t.TempDir(), "gateway.nk")
		ok(t, os.WriteFile(file, append(text, '\n'), 0o600))
		return file, string(text), public
	}
	ours, _, public := seed()
	other, secret, _ := seed()
	member := cluster(t, func(o *server.Options) { o.Nkeys = []*server.NkeyUser{{Nkey: public}} })
	s, err := store.Connect(t.Context(), store.Cluster{URL: member.ClientURL(), NKey: ours})
	ok(t, err)
	t.Cleanup(s.Close)
	ok(t, s.Check(t.Context()))

	empty := filepath.Join(t.TempDir(), "empty.nk")
	ok(t, os.WriteFile(empty, nil, 0o600))
	for what, file := range map[string]string{"another seed": other, "no seed": "", "an empty file": empty, "no file": empty + "x"} {
		_, err := store.Connect(t.Context(), store.Cluster{URL: member.ClientURL(), NKey: file})
		is(t, what, err, store.Denied)
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error shows it: %v", what, err)
		}
	}
}
