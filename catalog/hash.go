package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
)

// ContentHash is the SHA-256 of the canonical form of what a tool is and may do:
// name, description, parameters, static variables, code, overrides, category and
// tags. Test values, timestamps, the draft flag, toolId, humanInTheLoop and the
// toolSafety block are left out, so changing them keeps the hash. It follows
// [CanonicalProfile], so it can be compared with the hashes the reference
// publishes.
type ContentHash [sha256.Size]byte

// String returns the hash in lower-case hex.
func (h ContentHash) String() string { return hex.EncodeToString(h[:]) }

func hashOf(s *Spec) ContentHash {
	type object = map[string]any
	params := []object{}
	for _, p := range sortedBy(s.params, func(p Param) string { return p.Name }) {
		params = append(params, object{"name": p.Name, "type": p.Type.String(), "required": p.Required, "description": p.Description})
	}
	statics := []object{}
	byValue := sortedBy(s.statics, func(v StaticVariable) string { return v.Value })
	for _, v := range sortedBy(byValue, func(v StaticVariable) string { return v.Key }) {
		statics = append(statics, object{"key": v.Key, "value": v.Value})
	}
	o := s.overrides
	mode := ""
	if o.NetworkMode != nil {
		mode = o.NetworkMode.String()
	}
	text, err := json.Marshal(object{
		"kind":            "tool",
		"name":            s.name,
		"description":     s.description,
		"codeType":        CodeJavascript,
		"code":            s.code,
		"category":        s.category,
		"tags":            sorted(s.tags),
		"params":          params,
		"staticVariables": statics,
		"sandbox": object{
			"addAllowClasses":    sorted(unique(o.AddAllowClasses)),
			"removeAllowClasses": sorted(unique(o.RemoveAllowClasses)),
			"addDenyClasses":     sorted(unique(o.AddDenyClasses)),
			"removeDenyClasses":  sorted(unique(o.RemoveDenyClasses)),
			"networkMode":        mode,
			"hostsAllow":         sorted(o.HostsAllow),
			"fileRead":           o.FileRead,
			"fileWrite":          o.FileWrite,
			"fsBasePath":         o.FSBasePath,
			"destructive":        o.Destructive,
		},
	})
	if err == nil {
		text, err = Canonical(text)
	}
	if err != nil {
		panic(err) // strings and booleans always have a canonical form
	}
	return sha256.Sum256(text)
}

// sortedBy returns a copy in UTF-16 order of a key, as the reference sorts.
func sortedBy[T any](list []T, key func(T) string) []T {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b T) int { return compareUTF16(key(a), key(b)) })
	return list
}

// sorted is never nil: an empty list is hashed as [], not as null.
func sorted(list []string) []string {
	return append([]string{}, sortedBy(list, func(s string) string { return s })...)
}
