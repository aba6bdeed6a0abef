package eras

import (
	"encoding/json"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// Definition returns the entry of a tool for clients of the protocol with sessions.
// There the structured content is an object or absent, and clients refuse a whole list
// for one schema of anything else; so such a schema is left out, as the values are.
func Definition(listed json.RawMessage) json.RawMessage {
	schema := gjson.GetBytes(listed, "outputSchema")
	if !schema.Exists() || schema.Get("type").String() == "object" {
		return listed
	}
	without, err := sjson.DeleteBytes(listed, "outputSchema")
	if err != nil {
		return listed // cannot happen: the path was just found
	}
	return without
}
