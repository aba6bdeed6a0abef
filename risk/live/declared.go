package live

import "github.com/tidwall/gjson"

// Declared reads the label that a server sends with a result, _meta.ifc of the result
// object: {"integrity": "trusted"|"untrusted", "confidentiality": "public"|"private"}.
// It returns nil for a result without one. A word that is not known counts as the worse.
func Declared(result []byte) *Label {
	ifc := gjson.GetBytes(result, `_meta.ifc`)
	if !ifc.IsObject() {
		return nil
	}
	return &Label{
		Untrusted: ifc.Get("integrity").String() != "trusted",
		Private:   ifc.Get("confidentiality").String() != "public",
	}
}
