package labels

import (
	"encoding/json"
	"fmt"
	"slices"
)

// packVersion is the version of what a shelf keeps. It grows when a member is added
// that must not be dropped: a session whose label lost a member would look better than
// it is. Version 0 was the value alone.
const packVersion = 1

type packed struct {
	Version int             `json:"version"`
	Value   json.RawMessage `json:"value"`
}

func pack(v any) ([]byte, error) {
	value, raw := any(v).(json.RawMessage) // which is JSON, and long
	if !raw {
		var err error
		if value, err = json.Marshal(v); err != nil {
			return nil, err
		}
	}
	return slices.Concat(packHead, value, []byte("}")), nil
}

// packHead is what stands before the value: the fields of packed.
var packHead = fmt.Appendf(nil, `{"version":%d,"value":`, packVersion)

func unpack[T any](text []byte) (v T, err error) {
	var p packed
	if err := json.Unmarshal(text, &p); err != nil {
		return v, err
	}
	switch {
	case p.Version == 0:
		p.Value = text
	case p.Version != packVersion:
		return v, fmt.Errorf("it has version %d, and this program knows %d; a newer one has written it", p.Version, packVersion)
	}
	return v, json.Unmarshal(p.Value, &v)
}
