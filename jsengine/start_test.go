//go:build amd64 || arm64

package jsengine

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/glovebox-run/glovebox/guest"
	"github.com/glovebox-run/glovebox/jsengine/linear"
)

// Instances that the machine makes are those that wazero makes: the same functions at the
// same places of the table, the same data; and nothing in a table leads to another
// instance.
func TestInstancesStartAsWazeroStartsThem(t *testing.T) {
	metered, err := guest.Build(guest.Metered)
	if err != nil {
		t.Fatal(err)
	}
	m, err := newMachine(t.Context(), "", metered)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close(t.Context())
	instanceOf := func() *instance {
		i, err := m.newInstance(nil, bootSize, DefaultLimits.Memory)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(i.close)
		return i
	}
	theirs := instanceOf() // as wazero makes it
	if err := m.learn(); err != nil {
		t.Fatal(err)
	}
	if m.start == nil {
		t.Fatal("wazero's instances are not what the machine knows")
	}
	ours, another := instanceOf(), instanceOf()
	want, context := tableOf(t, theirs)
	functions, imported := 0, 0
	for _, i := range []*instance{ours, another} {
		got, own := tableOf(t, i)
		if own == context || len(got) != len(want) {
			t.Fatalf("%d elements, want %d", len(got), len(want))
		}
		for n := range got {
			switch {
			case want[n] == 0 || got[n] == 0:
				if want[n] != got[n] {
					t.Fatalf("element %d is %x, want %x", n, got[n], want[n])
				}
			case want[n]-context < 1<<16:
				imported++
				if got[n]-own != want[n]-context {
					t.Fatalf("element %d is another import", n)
				}
			default:
				functions++
				a, b := functionAt(got[n]), functionAt(want[n])
				if a.executable != b.executable || a.typeID != b.typeID || a.index != b.index || uintptr(unsafe.Pointer(a.context)) != own {
					t.Fatalf("element %d is %v, want %v with the context of its instance", n, a, b)
				}
			}
		}
		if !bytes.Equal(i.memory.Bytes(), theirs.memory.Bytes()) {
			t.Error("the data differs")
		}
	}
	if functions < 2*500 || imported != 2 {
		t.Errorf("%d functions, %d imported ones", functions, imported)
	}
	for _, i := range []*instance{theirs, ours, another} {
		i.memory.Limit(DefaultLimits.Memory)
		i.build(bootStatements, bootFuel)
		if i.invoke(fnInitialize); i.trapped != nil {
			t.Error(i.trapped)
		}
	}
}

// tableOf returns the elements of an instance's table and the address of its context.
func tableOf(t *testing.T, i *instance) ([]uintptr, uintptr) {
	p, ok := partsOf(i.module)
	if !ok {
		t.Fatal("wazero's instances are not what the machine knows")
	}
	return *p.table, uintptr(unsafe.Pointer(p.context))
}

// functionAt returns what an element of a table refers to.
func functionAt(reference uintptr) function {
	return **(**function)(unsafe.Pointer(&reference))
}

// A new instance of any image, and one that was another image's before, hold the same.
func TestANewInstanceIsTheImage(t *testing.T) {
	e := testEngine(t)
	one := testImage(t, e, `return 1`)
	two := testImage(t, e, `const text = "`+string(bytes.Repeat([]byte("x"), 3*linear.PageSize))+`"; return text.length`)
	for _, image := range []*Image{one, two, e.base} {
		i, err := e.machine.newInstance(e.base.pages, uint64(image.pages.Size()), DefaultLimits.Memory)
		if err != nil {
			t.Fatal(err)
		}
		i.fill(image)
		filled := bytes.Clone(i.memory.Bytes())
		i.reset(one)
		i.reset(two)
		i.reset(image)
		if !bytes.Equal(filled, i.memory.Bytes()) {
			t.Error("a new instance and one that was reset differ")
		}
		i.close()
	}
}
