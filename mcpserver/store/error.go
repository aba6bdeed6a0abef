package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Code is the kind of an error. errors.Is(err, store.Conflict) tests an error for
// one.
type Code string

const (
	NotFound    Code = "store-not-found"
	Conflict    Code = "store-conflict" // another writer was first; get and retry
	Invalid     Code = "store-invalid"  // an invalid key, value or name
	Damaged     Code = "store-damaged"
	Full        Code = "store-full"
	Away        Code = "store-away" // its files were moved, deleted or replaced
	Busy        Code = "store-busy" // another process holds the folder
	Unreachable Code = "store-unreachable"
	Denied      Code = "store-denied" // by the cluster, or by the file system
	Closed      Code = "store-closed"
	Failed      Code = "store-failed" // none of the above
)

func (c Code) Error() string { return string(c) }

// ways gives the operator a way out.
var ways = map[Code]string{
	Damaged:     "move the folder away to start with an empty one; questions and answers in it are lost",
	Full:        "make room; when a disk was full, the next check of the readiness opens the store again",
	Away:        "put it back; if it is lost, stop the server, restore the folder, and start it again",
	Busy:        "only one process can have a state folder",
	Unreachable: "check the address and whether the cluster runs",
	Denied:      "check the credentials, or the owner and the mode of the folder",
}

// Error is a failed operation on a place: a folder, a bucket or a key.
type Error struct {
	Code  Code
	Op    string // such as "open" or "update"
	Place string
	Cause error // may be nil
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s %s", e.Code, e.Op, e.Place)
	if e.Cause != nil {
		fmt.Fprintf(&b, ": %v", e.Cause)
	}
	if way := ways[e.Code]; way != "" {
		fmt.Fprintf(&b, " (%s)", way)
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is the code of the error.
func (e *Error) Is(target error) bool { return target == e.Code }

// causes maps errors of the layers below to codes; the first match counts.
var causes = []struct {
	cause error
	code  Code
}{
	{jetstream.ErrKeyExists, Conflict}, // also for a wrong revision
	{jetstream.ErrKeyRevisionMismatch, Conflict},
	{jetstream.ErrKeyNotFound, NotFound},
	{jetstream.ErrKeyDeleted, NotFound},
	{jetstream.ErrMsgNotFound, NotFound},
	{jetstream.ErrInvalidKey, Invalid},
	{jetstream.ErrInvalidBucketName, Invalid},
	{nats.ErrMaxPayload, Invalid},
	{jetstream.ErrJetStreamNotEnabledForAccount, Denied},
	{nats.ErrAuthorization, Denied},
	{nats.ErrAuthExpired, Denied},
	{nats.ErrPermissionViolation, Denied},
	{os.ErrPermission, Denied},
	{syscall.ENOSPC, Full},
	{syscall.EDQUOT, Full},
	{nats.ErrConnectionClosed, Closed},
	{nats.ErrNoServers, Unreachable},
	{nats.ErrTimeout, Unreachable},
	{nats.ErrReconnectBufExceeded, Unreachable}, // while reconnecting
	{nats.ErrDisconnected, Unreachable},
	{nats.ErrNoResponders, Unreachable},
	{jetstream.ErrNoStreamResponse, Unreachable},
	{jetstream.ErrJetStreamNotEnabled, Unreachable},
	{context.DeadlineExceeded, Unreachable},
}

// wroteMeanwhile is JetStream's error code for a write of the same key that is under way, or
// was first, in a cluster.
const wroteMeanwhile jetstream.ErrorCode = 10164

// refusals maps JetStream's error codes to ours.
var refusals = map[jetstream.ErrorCode]Code{
	10008:          Unreachable, // JetStream is temporarily unavailable, as during a leader election
	10118:          Unreachable, // the stream is offline
	wroteMeanwhile: Conflict,
	10158:          Unreachable, // an earlier attempt of the same write is under way
	10023:          Full,        // insufficient resources
	10028:          Full,        // insufficient memory
	10047:          Full,        // insufficient storage
	10054:          Invalid,     // the value is larger than the bucket allows
}

// underWay reports whether a write was refused only because another one about the same key
// has begun.
func underWay(err error) bool { return numberOf(err) == wroteMeanwhile }

// numberOf returns JetStream's error code; 0 for none. Watches and lists of a bucket fail with
// the errors of its client's older interface.
func numberOf(err error) jetstream.ErrorCode {
	var api jetstream.JetStreamError
	if errors.As(err, &api) && api.APIError() != nil {
		return api.APIError().ErrorCode
	}
	var older nats.JetStreamError
	if errors.As(err, &older) && older.APIError() != nil {
		return jetstream.ErrorCode(older.APIError().ErrorCode)
	}
	return 0
}

// errLost is said in place of what a client without a buffer for what it cannot send says.
var errLost = errors.New("the connection to the cluster is lost and being made again")

func codeOf(err error) Code {
	if code, known := refusals[numberOf(err)]; known {
		return code
	}
	for _, text := range []string{"maximum bytes exceeded", syscall.ENOSPC.Error()} {
		if strings.Contains(err.Error(), text) { // refusals without a code of their own
			return Full
		}
	}
	for _, row := range causes {
		if errors.Is(err, row.cause) {
			return row.code
		}
	}
	return Failed
}

// failed returns an error of this package; nil stays nil. A context cancelled by the
// caller is not the store's failure.
func failed(op, place string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, nats.ErrReconnectBufExceeded) {
		return &Error{Code: Unreachable, Op: op, Place: place, Cause: errLost}
	}
	return &Error{Code: codeOf(err), Op: op, Place: place, Cause: err}
}

// shown returns an address without any password in it.
func shown(address string) string {
	servers := strings.Split(address, ",")
	for i, s := range servers {
		u, err := url.Parse(strings.TrimSpace(s))
		if err != nil {
			return "the cluster" // unparsable: it may hold a password that cannot be removed
		}
		servers[i] = u.Redacted()
		if u.User != nil {
			if _, both := u.User.Password(); !both {
				u.User = url.User("xxxxx") // a token
				servers[i] = u.String()
			}
		}
	}
	return strings.Join(servers, ",")
}
