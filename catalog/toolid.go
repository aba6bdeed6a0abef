package catalog

import (
	"crypto/sha1"
	"fmt"
)

// toolIDNamespace is b33bd7ce-be88-56ad-8e77-89e463de3436: the version 5 UUID of
// https://github.com/glovebox-run/glovebox/tools in the URL namespace. It is
// published in docs/ and must never change, because audit records refer to the
// identifiers made with it.
var toolIDNamespace = [16]byte{0xb3, 0x3b, 0xd7, 0xce, 0xbe, 0x88, 0x56, 0xad, 0x8e, 0x77, 0x89, 0xe4, 0x63, 0xde, 0x34, 0x36}

// DeriveToolID returns the version 5 UUID of a tool name, which is the toolId of a
// document that does not declare one.
func DeriveToolID(name string) string {
	// Version 5 requires SHA-1 (RFC 9562, 5.5); no secret depends on it.
	h := sha1.New()
	h.Write(toolIDNamespace[:])
	h.Write([]byte(name))
	id := h.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
