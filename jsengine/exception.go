package jsengine

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/glovebox-run/glovebox/jsengine/internal/jsvalue"
)

// failureOf is the failure of a call into the guest that returned v, or nil.
func (i *instance) failureOf(v jsvalue.Value) *Failure {
	if i.trapped != nil {
		return i.stoppedBy()
	}
	if !v.IsException() {
		return nil
	}
	return i.thrown(jsvalue.Value(i.invoke(fnGetException, i.realm.context)))
}

// thrown turns a thrown value into a failure. It runs the program's code, such as
// getters, under what is left of the call's limits.
func (i *instance) thrown(v jsvalue.Value) *Failure {
	if (v == jsvalue.Null || v == jsvalue.Nothing) && i.memory.Refused() {
		return i.outOfMemory() // not even memory for an error object
	}
	f := &Failure{Kind: Exception}
	report := i.call(i.realm.describe, v)
	if i.trapped == nil && report.IsException() {
		if i.memory.Refused() {
			return i.outOfMemory()
		}
		f.Message = "an exception that cannot be described"
		return f
	}
	f.Name, f.Message, f.Stack = i.property(report, "name"), i.property(report, "message"), i.property(report, "stack")
	f.Told = i.property(report, "told")
	refusal := i.property(report, "refusal")
	if i.trapped != nil {
		return i.stoppedBy()
	}
	if refusal != "" {
		f.Refusal = new(Refusal)
		if err := json.Unmarshal([]byte(refusal), f.Refusal); err != nil {
			return &Failure{Kind: Internal, Message: "a refusal cannot be read", Cause: err}
		}
	}
	f.Kind = i.kindOf(f)
	return f
}

// property reads a string property of an object that core.js made; empty when
// there is none.
func (i *instance) property(object jsvalue.Value, name string) string {
	l, ok := i.lend([]byte(name))
	if !ok {
		return ""
	}
	v := jsvalue.Value(i.invoke(fnGetProperty, i.realm.context, uint64(object), uint64(l.at)))
	i.giveBack(l)
	if !v.IsString() {
		return ""
	}
	text, _ := i.appendText(nil, v, math.MaxInt32)
	return string(text)
}

func (i *instance) kindOf(r *Failure) Kind {
	switch {
	case r.Name == "RangeError" && r.Message == "Maximum call stack size exceeded":
		return StackLimit
	case i.memory.Refused() && r.Name == "InternalError" && (r.Message == "out of memory" || r.Message == ""):
		// There may have been too little memory for the message.
		return MemoryLimit
	}
	return Exception
}

func (i *instance) outOfMemory() *Failure {
	return &Failure{Kind: MemoryLimit, Message: fmt.Sprintf("the call needs more than %d bytes of memory", i.run.limits.Memory)}
}
