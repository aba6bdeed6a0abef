package approve

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Link returns a text that lets whoever holds it answer a question, which happens once. to
// names whom it is sent to, for the record.
func (d *Desk) Link(id, to string) string { return id + "." + to + "." + d.keys.signed(id+"."+to) }

// Linked returns the question of a link, and whom it was sent to. The error is ErrForged.
func (d *Desk) Linked(link string) (id, to string, err error) {
	at := strings.LastIndexByte(link, '.')
	if at < 0 || !hmac.Equal([]byte(link[at+1:]), []byte(d.keys.signed(link[:at]))) {
		return "", "", ErrForged
	}
	id, to, _ = strings.Cut(link[:at], ".")
	return id, to, nil
}

func (k keys) signed(text string) string {
	h := hmac.New(sha256.New, k.link)
	h.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}
