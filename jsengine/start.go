package jsengine

import (
	"bytes"
	"reflect"
	"unsafe"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// start is what wazero puts into each new instance: 890 functions into its table, each
// allocated by itself after a constant expression was evaluated for it, twice, and the
// module's data, which the base image then replaces. Both take half of the time of an
// instantiation. So the machine learns them from its first instance, takes the segments
// out of wazero's module, and puts them there itself: the functions in one piece, the
// data only for a boot.
//
// With another wazero than the one whose fields it knows it learns nothing, and wazero
// goes on as it does; a test notices.
type start struct {
	elements []element // of the table
	data     []byte    // from address 0
}

// element is an entry of the table: a function of the module, or an imported one, or none.
type element struct {
	local    function
	imported uintptr // offset in the instance's context; 0 for none, as it does not begin with functions
}

// function is wazero's functionInstance, to which entries of the table point.
type function struct {
	executable, context *byte
	typeID, index       uint32
}

// learnStart reads what an instance of the module starts with, and takes it out of the
// module. memory is that of the instance, in which nothing has run yet.
func learnStart(code wazero.CompiledModule, instance api.Module, memory []byte) *start {
	parts, ok := partsOf(instance)
	if !ok {
		return nil
	}
	known := map[uintptr]function{}
	functions, ok := instancesOf(parts.engine)
	if !ok {
		return nil
	}
	for _, f := range functions {
		known[uintptr(unsafe.Pointer(f))] = *f
	}
	s := &start{}
	for _, reference := range *parts.table {
		e := element{local: known[reference]}
		if reference != 0 && e.local.executable == nil {
			e.imported = reference - uintptr(unsafe.Pointer(parts.context))
			if e.imported == 0 || e.imported > 1<<16 { // bytes; the context has less
				return nil
			}
		}
		s.elements = append(s.elements, e)
	}
	s.data = bytes.Clone(bytes.TrimRight(memory, "\x00"))
	if !dropSegments(code) {
		return nil
	}
	return s
}

// apply gives a new instance its table, and returns what must live as long as it does.
func (s *start) apply(instance api.Module) []function {
	parts, ok := partsOf(instance)
	if !ok || len(*parts.table) != len(s.elements) {
		panic("jsengine: instances of one module differ")
	}
	functions := make([]function, len(s.elements))
	for n, e := range s.elements {
		switch {
		case e.local.executable != nil:
			functions[n] = e.local
			functions[n].context = parts.context
			(*parts.table)[n] = uintptr(unsafe.Pointer(&functions[n]))
		case e.imported != 0:
			(*parts.table)[n] = uintptr(unsafe.Pointer(parts.context)) + e.imported
		}
	}
	return functions
}

// parts are the parts of wazero's instance that the table needs.
type parts struct {
	engine  reflect.Value
	context *byte // wazero's opaque context, in which imported functions are
	table   *[]uintptr
}

func partsOf(instance api.Module) (p parts, ok bool) {
	module := reflect.ValueOf(instance)
	if !isStruct(module) {
		return p, false
	}
	engine, tables := module.Elem().FieldByName("Engine"), module.Elem().FieldByName("Tables")
	if engine.Kind() != reflect.Interface || tables.Kind() != reflect.Slice || tables.Len() != 1 || !isStruct(tables.Index(0)) || !isStruct(engine.Elem()) {
		return p, false
	}
	p.engine = engine.Elem().Elem()
	references := tables.Index(0).Elem().FieldByName("References")
	if references.Kind() != reflect.Slice || references.Type().Elem().Kind() != reflect.Uintptr {
		return p, false
	}
	p.table = (*[]uintptr)(references.Addr().UnsafePointer())
	context, ok := fieldOf[*byte](p.engine, "opaquePtr")
	if !ok {
		return p, false
	}
	p.context = *context
	return p, true
}

// instancesOf returns the functions that an instance has references to.
func instancesOf(engine reflect.Value) ([]*function, bool) {
	list := engine.FieldByName("localFunctionInstances")
	if list.Kind() != reflect.Slice || list.Type().Elem().Kind() != reflect.Pointer || !sameLayout(list.Type().Elem().Elem()) {
		return nil, false
	}
	return *(*[]*function)(list.Addr().UnsafePointer()), true
}

// sameLayout reports whether a type is what function takes it for.
func sameLayout(theirs reflect.Type) bool {
	ours := reflect.TypeFor[function]()
	if theirs.Kind() != reflect.Struct || theirs.Size() != ours.Size() || theirs.NumField() != ours.NumField() {
		return false
	}
	for n, name := range []string{"executable", "moduleContextOpaquePtr", "typeID", "indexInModule"} {
		a, b := theirs.Field(n), ours.Field(n)
		if a.Name != name || a.Offset != b.Offset || a.Type.Kind() != b.Type.Kind() {
			return false
		}
	}
	return true
}

// dropSegments leaves the module without elements and data.
func dropSegments(code wazero.CompiledModule) bool {
	compiled := reflect.ValueOf(code)
	if !isStruct(compiled) {
		return false
	}
	module := compiled.Elem().FieldByName("module")
	if !isStruct(module) {
		return false
	}
	var contents []*[]byte // any slice: only its header is written
	for _, name := range []string{"ElementSection", "DataSection"} {
		section := module.Elem().FieldByName(name)
		if section.Kind() != reflect.Slice {
			return false
		}
		for n := range section.Len() {
			segment := section.Index(n)
			if segment.Kind() != reflect.Struct || segment.FieldByName("Init").Kind() != reflect.Slice {
				return false
			}
			contents = append(contents, (*[]byte)(segment.FieldByName("Init").Addr().UnsafePointer()))
		}
	}
	for _, content := range contents {
		*content = nil
	}
	return true
}

func isStruct(v reflect.Value) bool {
	return v.Kind() == reflect.Pointer && !v.IsNil() && v.Elem().Kind() == reflect.Struct
}
