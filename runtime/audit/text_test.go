package audit

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// TestARecordIsWrittenWhole: what is written means what json.Marshal says, for every field
// that a record has or gets, and each one alone.
func TestARecordIsWrittenWhole(t *testing.T) {
	full := reflect.New(reflect.TypeFor[Record]()).Elem()
	fillAll(full)
	check := func(name string, r Record) {
		t.Helper()
		text, err := r.append(nil)
		if err != nil {
			t.Fatal(name, err)
		}
		want, err := json.Marshal(r)
		if err != nil {
			t.Fatal(name, err)
		}
		var got, wanted map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %s: %v", name, text, err)
		}
		json.Unmarshal(want, &wanted)
		if !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s:\n%s\n%s", name, text, want)
		}
		for _, c := range text {
			if c == '\n' || c == '\r' {
				t.Errorf("%s: a line break in %q", name, text)
			}
		}
	}
	check("everything", full.Interface().(Record))
	check("nothing", Record{})
	for i := range full.NumField() {
		one := reflect.New(full.Type()).Elem()
		one.Field(i).Set(full.Field(i))
		check(full.Type().Field(i).Name, one.Interface().(Record))
	}
	if _, err := (&Record{Parameters: []byte("{")}).append(nil); err == nil {
		t.Error("half a value was written")
	}
}

// fillAll gives every field a value that has to be escaped.
func fillAll(v reflect.Value) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 6789, time.UTC)))
		return
	case json.RawMessage:
		v.SetBytes([]byte("{\"a\": \"<&>\\n\",\r\n \"b\":[1]}"))
		return
	case Microseconds:
		v.SetInt(int64(1500 * time.Microsecond))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("\"<\n\x00\xff\u2028>\\")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(1 << 60)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			fillAll(v.Field(i))
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillAll(v.Index(0))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillAll(key)
		fillAll(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}
