package labels

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/glovebox-run/glovebox/risk/live"
)

// Bounds of what is kept.
const (
	// MaxSessions is how many sessions are remembered. Of a session that is forgotten to
	// make room, nobody knows any more what it met; see [forgotten].
	MaxSessions = 100_000
	// IdleTime is how long a session rests before it ends: a day without a call is no
	// pause within a task.
	IdleTime = 24 * time.Hour
	// MaxObjects is how many labels of written objects are remembered by Memory.
	MaxObjects = 100_000
)

// Head is what is kept of a session beside its texts.
type Head struct {
	live.Head
	Principal string    `json:"principal"`
	Began     time.Time `json:"began"`
	Used      time.Time `json:"used"`
	Texts     int       `json:"texts"`
	// Round tells the texts of this session from those of one that was reset.
	Round int `json:"round,omitempty"`
}

// forgotten is the head of a principal that may have been met before and is no longer
// remembered: it may have seen anything.
func forgotten() Head {
	return Head{Head: live.Head{Label: live.Label{Untrusted: true, Private: true, Origins: []string{live.Many}}, Forgot: true}}
}

// keyOf names a session in a store. Principals can be any text.
func keyOf(principal string) string {
	sum := sha256.Sum256([]byte(principal))
	return hex.EncodeToString(sum[:16])
}

// errFull means that there is no room for texts. They are then forgotten, which makes the
// session worse; a flood of one principal must not stop the others.
var errFull = errors.New("there is no room for what the session met")

// errConflict means that somebody else changed a session first.
var errConflict = errors.New("the session was changed meanwhile")

// Keeper keeps sessions and the labels of objects. It is safe for concurrent use.
type Keeper interface {
	// Head returns what is kept of a session. The revision is 0 if there is nothing; the
	// head is then the zero one, or forgotten if something was dropped to make room.
	Head(ctx context.Context, key string) (Head, uint64, error)
	// Unchanged reports whether a session that is kept has a revision; false is also the
	// answer if nobody can tell. It costs less than Head.
	Unchanged(ctx context.Context, key string, revision uint64) bool
	// Put keeps a head if the session still has the revision, 0 for a new one. The error
	// is errConflict if it has not.
	Put(ctx context.Context, key string, h Head, revision uint64) (uint64, error)
	// Texts returns the texts of a round of a session, oldest first; Add adds some, while
	// somebody may put the head. The error is errFull if there is no room for them.
	Texts(ctx context.Context, key string, round int) ([]live.Text, error)
	Add(ctx context.Context, key string, round int, texts []live.Text) error
	// List returns all heads, the one used last first.
	List(ctx context.Context) ([]Head, error)
	// Objects returns the label of all these objects together; Mark makes theirs worse.
	Objects(ctx context.Context, objects []live.Object) (live.Label, error)
	Mark(ctx context.Context, objects []live.Object, label live.Label) error
}
