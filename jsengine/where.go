package jsengine

import (
	"context"
	"strings"
	"time"
)

// Budgets for asking a stopped guest what it was doing: some 10 M units for
// searching all built-ins.
const (
	whereStatements = 10_000
	whereFuel       = 60_000_000
	whereTime       = 50 * time.Millisecond
	whereBytes      = 512
)

// locateStop adds what the guest was doing to the failure of a call that used up a
// limit. The guest may have been stopped anywhere, even while allocating memory.
// So asking it can fail in every way and has a budget of its own, and the instance
// is never used again.
func (i *instance) locateStop(f *Failure, file string) {
	if f == nil || i.trapped == nil {
		return
	}
	switch f.Kind {
	case FuelLimit, StatementLimit, Timeout:
	default:
		return
	}
	cause := i.trapped
	defer func() {
		_ = recover() // the failure is known; this only described it
		i.trapped = cause
	}()
	i.trapped = nil
	// No console and no caller: code that runs from here reaches nothing.
	i.run = execution{ctx: context.Background(), limits: i.run.limits, cancel: i.run.cancel}
	i.startMeter(whereStatements, whereFuel, time.Now().Add(whereTime))
	name := i.newString([]byte(file))
	answer := i.call(i.realm.where, name)
	if i.trapped != nil || !answer.IsString() {
		return
	}
	text, ok := i.appendText(nil, answer, whereBytes)
	switch {
	case !ok || len(text) == 0 || i.trapped != nil:
	case strings.Contains(f.Message, hostCallPrefix):
		f.Message += ", called by " + string(text)
	default:
		f.Message += "; it was running " + string(text)
	}
}
