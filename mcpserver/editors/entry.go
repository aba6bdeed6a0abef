package editors

import (
	"encoding/json"
	"errors"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Entry is how a client starts the server.
type Entry struct {
	Command string
	Args    []string
}

// shape is the form of an entry that a client expects.
type shape uint8

const (
	plain   shape = iota
	typed         // names its transport
	custom        // is marked as the user's own, not an extension's
	oneList       // program and arguments in one list
)

func (e Entry) as(s shape) any {
	type common struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	switch c := (common{e.Command, append([]string{}, e.Args...)}); s {
	case typed:
		return struct {
			Type string `json:"type"`
			common
		}{"stdio", c}
	case custom:
		return struct {
			Source string `json:"source"`
			common
		}{"custom", c}
	case oneList:
		return struct {
			Type    string   `json:"type"`
			Command []string `json:"command"`
			Enabled bool     `json:"enabled"`
		}{"local", append([]string{e.Command}, e.Args...), true}
	default:
		return c
	}
}

// over returns the entry as JSON, with the other members of the old one.
func (e Entry) over(old string, s shape) ([]byte, error) {
	entry, err := json.Marshal(e.as(s))
	own := gjson.ParseBytes(entry)
	gjson.Parse(old).ForEach(func(key, value gjson.Result) bool {
		name := gjson.Escape(key.Str)
		if !own.Get(name).Exists() {
			var more error
			entry, more = sjson.SetRawBytes(entry, name, []byte(value.Raw))
			err = errors.Join(err, more)
		}
		return true
	})
	return entry, err
}
