package jsengine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"
)

// Caller is the way out of the box: host.Table has this method. text is UTF-8,
// blob is nil when there are no bytes; both are copies that the Caller may keep.
// Call may run on several goroutines at once, and ctx ends with the guest's call.
// The account limits what this host call may spend of the guest's budget; it is
// valid until Call returns.
//
// An error with the method GuestError is thrown in the guest, which can catch it;
// any other ends the guest's call as a HostFailure. An exhausted account ends the
// guest's call for that reason, whatever Call returned.
type Caller interface {
	Call(ctx context.Context, account *budget.Account, op string, text, blob []byte) (replyText, replyBlob []byte, err error)
}

// guestError is an error the guest may see: the JSON object of a Refusal.
type guestError interface{ GuestError() []byte }

// Codes of the first argument of raw; prelude/core.js has the same list.
const (
	rawCall = iota
	rawStart
	rawWait
	rawLog
	rawArm
	rawLoad
)

// argument is the address of a JavaScript function's arguments.
type arguments struct{ count, at uint32 }

func (i *instance) argument(a arguments, n uint32) jsvalue.Value {
	if n >= a.count {
		return jsvalue.Undefined
	}
	b := i.bytes(a.at+8*n, 8)
	if b == nil {
		i.stop(&Failure{Kind: Internal, Cause: errAddress})
	}
	return jsvalue.Value(binary.LittleEndian.Uint64(b))
}

// hostCall is the C function behind raw: (context, this, count, arguments) -> value.
func (i *instance) hostCall(stack []uint64) uint64 {
	a := arguments{count: uint32(stack[2]), at: uint32(stack[3])}
	if i.run.console == nil {
		i.stop(&Failure{Kind: Refused, Message: "no host call may be made while an image is built"})
	}
	i.inHost = true
	defer func() { i.inHost = false }()
	var result jsvalue.Value
	switch code := i.argument(a, 0); code {
	case jsvalue.Int(rawCall):
		result = i.callHost(a)
	case jsvalue.Int(rawStart):
		result = i.startHost(a)
	case jsvalue.Int(rawWait):
		result = i.waitHost(uint32(i.argument(a, 1)))
	case jsvalue.Int(rawLog):
		i.log(i.argument(a, 1), i.argument(a, 2))
		result = jsvalue.Undefined
	case jsvalue.Int(rawArm):
		i.run.arm(i.argument(a, 1))
		result = jsvalue.Undefined
	case jsvalue.Int(rawLoad):
		result = i.load(i.argument(a, 1))
	default:
		i.stop(&Failure{Kind: Internal, Message: "the prelude made an unknown call"})
	}
	if i.trapped != nil {
		// A guest function that this one called has trapped. The outer function need
		// not know that it was the inner one.
		if i.run.stopped == nil {
			i.run.stopped = i.stoppedBy()
		}
		panic(errStopped)
	}
	return uint64(result)
}

// clock tells the guest the time: 0 since 1970, 1 monotonic, in nanoseconds. Both
// have the same origin, so performance.timeOrigin is a time of day as on the web.
func (i *instance) clock(stack []uint64) uint64 {
	r := &i.run
	if r.started.IsZero() { // an image is being built
		return uint64(bootTime.UnixNano())
	}
	if uint32(stack[0]) == 0 {
		return uint64(r.clock.Now().UnixNano())
	}
	return uint64(r.started.UnixNano() + int64(r.clock.Now().Sub(r.started)))
}

// request is an outgoing host call and its budget.
type request struct {
	op         string
	text, blob []byte
	account    *budget.Account
}

// takeRequest copies a request out of the guest and charges for it. The second
// result is the guest's return value when there is no request.
func (i *instance) takeRequest(a arguments, account *budget.Account) (request, jsvalue.Value, bool) {
	r := &i.run
	if r.hostCalls++; r.hostCalls > r.limits.HostCalls {
		i.stop(&Failure{Kind: Refused, Message: "the call has made all the host calls it may make"})
	}
	req := request{account: i.openAccount(account)}
	var ok bool
	if req.op, ok = i.copyName(i.argument(a, 1)); !ok {
		return request{}, i.throwRefusal("", "a host call needs a name"), false
	}
	if r.caller == nil {
		i.stop(&Failure{Kind: Refused, Message: "this call lends no host calls"})
	}
	if text := i.argument(a, 2); text != jsvalue.Undefined && text != jsvalue.Null {
		if req.text, ok = i.copyRequest(req, text); !ok {
			return request{}, i.throwRefusal(req.op, "the text of a host call must be a string"), false
		}
	}
	if blob := i.argument(a, 3); blob != jsvalue.Undefined && blob != jsvalue.Null {
		if req.blob, ok = i.copyBytes(req, blob); !ok {
			return request{}, i.throwRefusal(req.op, "the bytes of a host call must be a Uint8Array"), false
		}
	}
	i.chargeBytes(len(req.op) + len(req.text) + len(req.blob))
	return req, 0, true
}

func (i *instance) chargeBytes(n int) {
	r := &i.run
	if n > r.limits.HostBytes-r.hostBytes {
		i.stop(&Failure{Kind: Refused, Message: "the call has sent and received all the bytes it may send and receive"})
	}
	r.hostBytes += n
}

// copyText copies a guest string out. A string larger than the call may send ends
// it.
func (i *instance) copyText(v jsvalue.Value) ([]byte, bool) {
	if !v.IsString() {
		return nil, false
	}
	text, ok := i.appendText(nil, v, i.run.limits.HostBytes-i.run.hostBytes)
	if !ok && i.trapped == nil {
		i.chargeBytes(math.MaxInt)
	}
	return text, ok
}

// copyRequest copies the text of a request out, which then counts as held.
func (i *instance) copyRequest(req request, v jsvalue.Value) ([]byte, bool) {
	if !v.IsString() {
		return nil, false
	}
	sendable := i.run.limits.HostBytes - i.run.hostBytes
	text, ok := i.appendText(nil, v, min(sendable, req.account.Free()))
	if ok {
		i.hold(req, len(text))
	} else if i.trapped == nil {
		if req.account.Free() < sendable {
			i.hold(req, math.MaxInt)
		}
		i.chargeBytes(math.MaxInt)
	}
	return text, ok
}

// hold charges Go memory to the call and ends the call when there is too much.
func (i *instance) hold(req request, bytes int) {
	if err := req.account.Hold(bytes); err != nil {
		i.stop(i.run.exhausted(err, req.op))
	}
}

// copyName copies an operation's name out. Programs repeat the same call, so the
// last name is kept.
func (i *instance) copyName(v jsvalue.Value) (string, bool) {
	var buffer [64]byte
	name, inPlace, fits := jsvalue.AppendText(buffer[:0], i.memory.Bytes(), v, len(buffer))
	if !inPlace || !fits {
		text, ok := i.copyText(v)
		return string(text), ok
	}
	if string(name) != i.lastName {
		i.lastName = string(name)
	}
	return i.lastName, true
}

func (i *instance) copyBytes(req request, v jsvalue.Value) ([]byte, bool) {
	size := i.lendStack(4)
	defer i.giveBack(size)
	at := uint32(i.invoke(fnGetBytes, i.realm.context, uint64(size.at), uint64(v)))
	length := i.word(size.at)
	if at == 0 && length == 0 {
		// An empty array has no address. Any other value without one is not an array,
		// and leaves an exception pending in the guest, which the next one replaces.
		return nil, false
	}
	if int(length) > i.run.limits.HostBytes-i.run.hostBytes {
		i.chargeBytes(int(length))
	}
	i.hold(req, int(length))
	data := make([]byte, length)
	jsvalue.Copy(data, i.bytes(at, length))
	return data, true
}

// callHost makes a synchronous host call.
func (i *instance) callHost(a arguments) jsvalue.Value {
	r := &i.run
	req, instead, ok := i.takeRequest(a, &r.account)
	if !ok {
		return instead
	}
	return i.reply(ask(r.hostContext(), r.caller, req))
}

// ask makes the call. A panic of the Caller becomes a failure of the call: on a
// goroutine of ours it would end the process.
func ask(ctx context.Context, caller Caller, req request) (r reply) {
	defer func() {
		if p := recover(); p != nil {
			r = reply{op: req.op, account: req.account, err: fmt.Errorf("panic in host call %s: %v", req.op, p)}
		}
	}()
	r.op, r.account = req.op, req.account
	r.text, r.blob, r.err = caller.Call(ctx, req.account, req.op, req.text, req.blob)
	if req.account.HoldOnly(len(r.text)+len(r.blob)) != nil {
		r.text, r.blob = nil, nil // the account knows why; replyValue asks it
	}
	return r
}

// reply is the host's answer.
type reply struct {
	op         string
	text, blob []byte
	err        error
	account    *budget.Account // still open: it holds the reply
}

// reply hands a reply to the guest, or throws it there.
func (i *instance) reply(r reply) jsvalue.Value {
	v, failed := i.replyValue(r)
	if failed {
		return i.throw(v)
	}
	return v
}

// replyValue converts a reply to a value of the guest: a string, an array of a
// string and a Uint8Array, or the JSON text of a refusal.
func (i *instance) replyValue(r reply) (v jsvalue.Value, failed bool) {
	i.settleAccount(r.account, r.op)
	defer r.account.Close()
	if overdue := i.run.overdue(); overdue != nil {
		i.stop(overdue)
	}
	if r.err != nil {
		return i.newString(i.refusalOf(r.err)), true
	}
	i.chargeBytes(len(r.text) + len(r.blob))
	text := i.newString(r.text)
	if r.blob == nil || text.IsException() {
		return text, text.IsException()
	}
	blob := i.newBytes(r.blob)
	pair := jsvalue.Value(i.invoke(fnNewArray, i.realm.context))
	if blob.IsException() || pair.IsException() {
		return jsvalue.Null, true
	}
	i.invoke(fnSetElement, i.realm.context, uint64(pair), 0, uint64(text))
	i.invoke(fnSetElement, i.realm.context, uint64(pair), 1, uint64(blob))
	return pair, false
}

// refusalOf returns what the guest may see of an error, if anything.
func (i *instance) refusalOf(err error) []byte {
	var visible guestError
	if errors.As(err, &visible) {
		if text := visible.GuestError(); json.Valid(text) {
			return text
		}
	}
	i.stop(&Failure{Kind: HostFailure, Message: "a host call failed", Cause: err})
	return nil
}

// throwRefusal throws an error for a host call that was never made.
func (i *instance) throwRefusal(op, message string) jsvalue.Value {
	text, err := json.Marshal(Refusal{Kind: "INVALID_INPUT", Helper: op, Reason: "bad-argument", Message: message})
	if err != nil {
		i.stop(&Failure{Kind: Internal, Cause: err})
	}
	return i.throw(i.newString(text))
}

func (i *instance) throw(v jsvalue.Value) jsvalue.Value {
	if v.IsException() {
		return v
	}
	return jsvalue.Value(i.invoke(fnThrow, i.realm.context, uint64(v)))
}

// newString makes a guest string, or an exception when the guest has no room.
//
// The guest reads each character of UTF-8 twice, at a nanosecond and a half each.
// So the guest only allocates the string, and Go writes the characters.
func (i *instance) newString(text []byte) jsvalue.Value {
	units, wide, ok := jsvalue.TextSize(text)
	if !ok || units == 0 {
		return i.decodeString(text)
	}
	v := i.blankString(units, wide)
	if i.trapped == nil && !v.IsException() && !jsvalue.PutText(i.memory.Bytes(), v, text) {
		i.trap(errors.New("jsengine: a new string is not what was asked for"))
	}
	return v
}

// blankString makes a string of that many UTF-16 units, whatever they are.
func (i *instance) blankString(units int, wide bool) jsvalue.Value {
	if size := jsvalue.StringSize(units, wide); size > ownHeader && units <= longestString {
		at := uint32(i.invoke(fnAllocate, i.realm.context, uint64(size)))
		if at == 0 {
			return jsvalue.Exception
		}
		if b := i.bytes(at, uint32(size)); b != nil {
			jsvalue.PutHeader(b, units, wide)
		}
		return jsvalue.StringAt(at)
	}
	make := fnNewLatin1
	if wide {
		make = fnNewUTF16
	}
	// It copies that many characters from the start of its memory, which is larger.
	return jsvalue.Value(i.invoke(make, i.realm.context, 0, uint64(units)))
}

// ownHeader is the size in bytes from which Go writes the header of a string as well.
// The guest would copy as many bytes into it as it has, all of which are written anew.
const ownHeader = 4 << 10

// longestString is how many UTF-16 units QuickJS allows; it says so for longer ones.
const longestString = 1<<30 - 1

// decodeString makes a guest string from bytes that may not be UTF-8, as the guest
// reads them.
func (i *instance) decodeString(text []byte) jsvalue.Value {
	l, ok := i.lend(text)
	if !ok {
		return jsvalue.Value(i.invoke(fnThrow, i.realm.context, uint64(jsvalue.Null)))
	}
	defer i.giveBack(l)
	return jsvalue.Value(i.invoke(fnNewString, i.realm.context, uint64(l.at), uint64(len(text))))
}

func (i *instance) newBytes(data []byte) jsvalue.Value {
	l, ok := i.lend(data)
	if !ok {
		return jsvalue.Value(i.invoke(fnThrow, i.realm.context, uint64(jsvalue.Null)))
	}
	defer i.giveBack(l)
	return jsvalue.Value(i.invoke(fnNewBytes, i.realm.context, uint64(l.at), uint64(len(data))))
}

// hostContext is the context of this call's host calls. It is made on first use:
// most calls make none.
func (r *execution) hostContext() context.Context {
	if r.hostCtx == nil {
		r.hostCtx, r.cancel = context.WithDeadline(r.ctx, r.deadline)
	}
	return r.hostCtx
}

// arm sets the time of the next tick, in milliseconds from now; negative for none.
func (r *execution) arm(v jsvalue.Value) {
	ms, ok := v.Number()
	r.armed = ok && ms >= 0
	if r.armed {
		r.alarm = r.clock.Now().Add(time.Duration(ms * float64(time.Millisecond)))
	}
}
