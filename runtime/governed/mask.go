package governed

import (
	"encoding/json"
	"reflect"
)

// maskAll passes every string at or below v through mask, including fields added later:
// cleaning output must not depend on remembering each field. Strings behind an
// interface, the private causes, do not leave. Values behind pointers are copied first,
// since a tool may keep them.
func maskAll(v reflect.Value, mask func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.Len() > 0 {
			v.SetString(mask(v.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			copied := reflect.New(v.Type().Elem())
			copied.Elem().Set(v.Elem())
			v.Set(copied)
			maskAll(copied.Elem(), mask)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				maskAll(v.Field(i), mask)
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes(maskJSON(v.Bytes(), mask))
			return
		}
		copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		if v.IsNil() {
			return
		}
		reflect.Copy(copied, v)
		v.Set(copied)
		for i := range v.Len() {
			maskAll(v.Index(i), mask)
		}
	case reflect.Array:
		for i := range v.Len() {
			maskAll(v.Index(i), mask)
		}
	case reflect.Map:
		if v.Len() == 0 {
			return
		}
		masked := reflect.MakeMapWithSize(v.Type(), v.Len())
		for members := v.MapRange(); members.Next(); {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			key.Set(members.Key())
			value.Set(members.Value())
			maskAll(key, mask)
			maskAll(value, mask)
			masked.SetMapIndex(key, value)
		}
		v.Set(masked)
	}
}

// maskJSON masks JSON, and the result is still JSON.
func maskJSON(text []byte, mask func(string) string) []byte {
	if len(text) == 0 {
		return text
	}
	masked := mask(string(text))
	if json.Valid([]byte(masked)) {
		return []byte(masked)
	}
	quoted, err := json.Marshal(masked)
	if err != nil {
		return nil
	}
	return quoted
}
