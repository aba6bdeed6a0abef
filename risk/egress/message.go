package egress

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/risk/media"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"
)

// CountsKey is the member of a result's _meta that counts its placeholders by kind.
const CountsKey = "glovebox.run/redactions"

// Message cleans one outgoing object of the Model Context Protocol: the result of a
// call, of reading a resource or getting a prompt, the parameters of a notification
// or of a request to the client, or an error object. All strings in it are treated
// alike: texts, structured content, resources and their links, _meta and error data.
// Text in base64 is decoded. Pictures, sound and other binary content stays as it is,
// unless a known secret is in it. An object with placeholders has their count in _meta.
//
// Arguments on their way to a tool go through [Sanitiser.Bytes]: nothing may be
// added to them.
func (s *Sanitiser) Message(session *Session, at Place, raw []byte) ([]byte, Outcome) {
	if s.policy.exceeds(len(raw)) || !json.Valid(raw) {
		return s.Bytes(session, at, raw)
	}
	at.Error = at.Error || gjson.GetBytes(raw, "isError").Bool()
	cut := media.From(raw)
	for piece := range cut.Pieces() {
		if session.known.String(piece) != piece {
			cut = media.Cut{Text: raw} // a picture that holds a known secret is none worth keeping
			break
		}
	}
	text, inside := s.blobs(session, at, cut.Text)
	out, outcome := s.Bytes(session, at, text)
	for i := range outcome.Findings {
		f := &outcome.Findings[i]
		f.Start, f.End = cut.Offset(f.Start), cut.Offset(f.End)
	}
	outcome.Findings = append(outcome.Findings, inside.Findings...)
	if inside.Blocked != "" {
		outcome.Blocked = inside.Blocked
	}
	if outcome.Blocked != "" {
		return nil, outcome
	}
	out, same := cut.Restore(out)
	if !same {
		outcome.Blocked = "its binary content cannot be put back"
		return nil, outcome
	}
	counts := outcome.Redacted()
	if len(counts) == 0 || !gjson.ParseBytes(out).IsObject() {
		return out, outcome
	}
	text, err := json.Marshal(counts)
	if err == nil {
		out, err = sjson.SetRawBytes(out, "_meta."+gjson.Escape(CountsKey), text)
	}
	if err != nil {
		outcome.Blocked = fmt.Sprintf("the counts cannot be written: %v", err)
		return nil, outcome
	}
	return out, outcome
}

// blobs cleans texts in base64: contents[].blob of a resource that was read and
// content[].resource.blob of an embedded one. Anything but text stays.
func (s *Sanitiser) blobs(session *Session, at Place, raw []byte) ([]byte, Outcome) {
	var all Outcome
	if !bytes.Contains(raw, []byte("blob")) && !bytes.Contains(raw, []byte(`\u`)) {
		return raw, all // no member has the name, however it is spelled
	}
	for _, list := range [...]struct{ array, member string }{{"contents", "blob"}, {"content", "resource.blob"}, {"messages", "content.resource.blob"}} {
		for i, item := range gjson.GetBytes(raw, list.array).Array() {
			blob := item.Get(list.member)
			if blob.Type != gjson.String {
				continue
			}
			text, err := base64.StdEncoding.DecodeString(blob.Str)
			if err != nil || !utf8.Valid(text) {
				continue
			}
			path := list.array + "." + strconv.Itoa(i) + "." + list.member
			clean, outcome := s.Bytes(session, at, text)
			for _, f := range outcome.Findings {
				f.Pointer = pointerOf(path) + f.Pointer
				all.Findings = append(all.Findings, f)
			}
			if outcome.Blocked != "" {
				all.Blocked = outcome.Blocked
				return raw, all
			}
			if string(clean) == string(text) {
				continue
			}
			if raw, err = sjson.SetBytes(raw, path, base64.StdEncoding.EncodeToString(clean)); err != nil {
				all.Blocked = fmt.Sprintf("a resource cannot be rewritten: %v", err)
				return raw, all
			}
		}
	}
	return raw, all
}

// pointerOf writes a path without special characters as a JSON pointer.
func pointerOf(path string) string {
	b := []byte("/" + path)
	for i, c := range b {
		if c == '.' {
			b[i] = '/'
		}
	}
	return string(b)
}
