//go:build unix

package osfile

import (
	"io/fs"
	"testing"
)

// TestWhoMayReadASecret: a file of root's that a group of ours may read, and nobody else, is
// ours to read; nothing else that others may reach is.
func TestWhoMayReadASecret(t *testing.T) {
	ours := []int{4, 65532}
	for _, c := range []struct {
		perm         fs.FileMode
		owner, group uint32
		user         int
		want         bool
	}{
		{0o440, 0, 65532, 65532, true}, // a secret of Kubernetes with fsGroup
		{0o640, 0, 4, 1000, true},
		{0o444, 0, 65532, 65532, false},   // everybody
		{0o460, 0, 65532, 65532, false},   // the group may change it
		{0o640, 0, 1000, 65532, false},    // another group
		{0o640, 1000, 65532, 1000, false}, // not root's to give
		{0o640, 0, 65532, 0, false},       // root needs no group
	} {
		if got := lent(c.perm, c.owner, c.group, c.user, ours); got != c.want {
			t.Errorf("%04o %d:%d for %d: %v", c.perm, c.owner, c.group, c.user, got)
		}
	}
}
