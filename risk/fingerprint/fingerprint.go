package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/glovebox-run/glovebox/catalog"
)

// Profile is the name of our own form. It covers the whole definition, so that
// nothing a client may show or act on can change unnoticed.
const Profile = "glovebox-mcp-tool-sha256/v1"

// Fingerprint identifies one version of one tool. Only fingerprints of the same
// profile can be compared.
type Fingerprint struct {
	Profile string `json:"profile"`
	Hash    string `json:"hash"` // lower-case hex
}

// Of returns our fingerprint of a tool definition. It covers every field that was
// sent, including those without a meaning here, in canonical order and spelling.
func Of(tool []byte) (Fingerprint, error) {
	form, err := Form(tool)
	if err != nil {
		return Fingerprint{}, err
	}
	// The profile's name in front keeps the hash apart from every other use of
	// the canonical form.
	sum := sha256.Sum256(append([]byte(Profile+"\n"), form...))
	return Fingerprint{Profile, hex.EncodeToString(sum[:])}, nil
}

// Form returns the text that [Of] hashes. Stored beside the hash, it allows a later
// change to be explained.
func Form(tool []byte) ([]byte, error) {
	form, err := catalog.Canonical(tool)
	if err != nil {
		return nil, err
	}
	if form[0] != '{' {
		return nil, errors.New("not a tool definition: want a JSON object")
	}
	return form, nil
}

// Reference returns the fingerprint that the reference stores for a tool of a
// running server: name, description and input schema. It leaves annotations out
// there, so it misses a change of annotations alone.
func Reference(tool []byte) (Fingerprint, error) { return reference(tool, false) }

// ReferenceAnnotated is the same form with the five annotations that the
// reference knows.
func ReferenceAnnotated(tool []byte) (Fingerprint, error) { return reference(tool, true) }

func reference(tool []byte, annotated bool) (Fingerprint, error) {
	form, err := referenceForm(tool, annotated)
	if err != nil {
		return Fingerprint{}, err
	}
	sum := sha256.Sum256(form)
	return Fingerprint{catalog.CanonicalProfile, hex.EncodeToString(sum[:])}, nil
}

func referenceForm(tool []byte, annotated bool) ([]byte, error) {
	var fields, hints map[string]json.RawMessage
	if err := json.Unmarshal(tool, &fields); err != nil || fields == nil {
		return nil, errors.New("not a tool definition: want a JSON object")
	}
	if annotated {
		// Annotations of the wrong type count as absent.
		_ = json.Unmarshal(fields["annotations"], &hints)
	}
	annotations := map[string]json.RawMessage{}
	for _, key := range []string{"destructiveHint", "idempotentHint", "openWorldHint", "readOnlyHint", "title"} {
		annotations[key] = orElse(hints[key], "null")
	}
	form, err := json.Marshal(map[string]any{
		"annotations": annotations,
		"description": orElse(fields["description"], `""`),
		"inputSchema": orElse(fields["inputSchema"], "null"),
		"name":        orElse(fields["name"], `""`),
	})
	if err != nil {
		return nil, err
	}
	return catalog.Canonical(form)
}

// orElse replaces an absent value; null counts as absent where text is expected.
func orElse(raw json.RawMessage, other string) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage(other)
	}
	return raw
}
