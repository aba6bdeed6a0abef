package jsengine

import (
	"reflect"
	"unsafe"

	"github.com/tetratelabs/wazero/api"

	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// nativeStack is the address space, in bytes, for the machine-code stack of one
// instance. A JavaScript call takes 8.2 KB of it, and QuickJS refuses to nest more
// than about 5,100: 42 MB.
//
// wazero begins with 10 KiB on Go's heap and doubles: each time it allocates the
// new stack and copies the old one in one uninterruptible piece, 42 MB the last
// time, and goroutines that wait for the world to stop wait as long. It has no
// setting for this, so the stack is replaced here.
const nativeStack = 80 << 20

// keptStack is how much of the stack stays in memory between two calls.
const keptStack = 64 << 10

// growStack gives a function of wazero's compiler a stack that never needs to
// grow. With any other implementation of functions it changes nothing: wazero then
// grows the stack as it always does, and a test notices.
func growStack(f api.Function) linear.Stack {
	engine := reflect.ValueOf(f)
	if engine.Kind() != reflect.Pointer || engine.Elem().Kind() != reflect.Struct {
		return nil
	}
	stack, okStack := fieldOf[[]byte](engine.Elem(), "stack")
	top, okTop := fieldOf[uintptr](engine.Elem(), "stackTop")
	context := engine.Elem().FieldByName("execCtx")
	if !okStack || !okTop || !context.IsValid() || context.Kind() != reflect.Struct {
		return nil
	}
	bottom, ok := fieldOf[*byte](context, "stackBottomPtr")
	if !ok || len(*stack) == 0 || *bottom != &(*stack)[0] {
		return nil
	}
	space, err := linear.NewStack(nativeStack)
	if err != nil {
		return nil
	}
	*stack, *bottom = space, &space[0]
	*top = uintptr(unsafe.Pointer(&space[len(space)-1])) &^ 15 // as wazero aligns it
	return space
}

// fieldOf is the address of a field, if one of that name and type exists.
func fieldOf[T any](of reflect.Value, name string) (*T, bool) {
	field := of.FieldByName(name)
	if !field.IsValid() || !field.CanAddr() || field.Type() != reflect.TypeFor[T]() {
		return nil, false
	}
	return (*T)(field.Addr().UnsafePointer()), true
}
