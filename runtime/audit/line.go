package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// hash is the hash of a line; the zero hash precedes the first one.
type hash [sha256.Size]byte

func (h hash) String() string { return hex.EncodeToString(h[:]) }

// A line is the record's object with its place in the chain around it,
//
//	{"seq":1,"prev":"<hex>","v":1,...,"hash":"<hex>"}
//
// where v is the version of the format and hash is SHA-256 of everything before `,"hash"`. Hashing the bytes and
// not the values reveals any rewriting, even one with the same meaning.
const (
	seqField  = `{"seq":`
	prevField = `,"prev":"`
	formField = `","v":`
	hashField = `,"hash":"`
)

// formatVersion is raised with every new record field: an older program then refuses
// the record instead of showing it without the field.
const formatVersion = 1

// tailLength is what follows the hashed bytes: the field, 64 digits, `"}`.
const tailLength = len(hashField) + 2*sha256.Size + len(`"}`)

// appendLine adds the line of a record, which is a non-empty JSON object.
func appendLine(dst []byte, seq uint64, prev hash, record []byte) ([]byte, hash) {
	start := len(dst)
	dst = append(dst, seqField...)
	dst = strconv.AppendUint(dst, seq, 10)
	dst = append(dst, prevField...)
	dst = hex.AppendEncode(dst, prev[:])
	dst = append(dst, formField...)
	dst = strconv.AppendUint(dst, formatVersion, 10)
	dst = append(dst, ',')
	dst = append(dst, record[1:len(record)-1]...)
	sum := hash(sha256.Sum256(dst[start:]))
	dst = append(dst, hashField...)
	dst = hex.AppendEncode(dst, sum[:])
	return append(dst, "\"}\n"...), sum
}

// line is a parsed line. Its hash is the claimed one; intact reports whether its bytes
// produce that hash.
type line struct {
	seq    uint64
	prev   hash
	hash   hash
	intact bool
	record []byte // the line without its hash: the record with seq and prev
}

// parseLine parses a line without its newline. Everything before the record must match
// byte for byte: it has one spelling, ours.
func parseLine(text []byte) (line, error) {
	if len(text) < tailLength {
		return line{}, errors.New("too short for a record")
	}
	body, tail := text[:len(text)-tailLength], text[len(text)-tailLength:]
	var l line
	if !bytes.HasPrefix(tail, []byte(hashField)) || !bytes.HasSuffix(tail, []byte(`"}`)) {
		return line{}, errors.New("no hash at the end")
	}
	if err := decodeHash(&l.hash, tail[len(hashField):len(tail)-2]); err != nil {
		return line{}, err
	}
	rest, ok := bytes.CutPrefix(body, []byte(seqField))
	if l.seq, rest = leadingNumber(rest); !ok || l.seq == 0 || !bytes.HasPrefix(rest, []byte(prevField)) {
		return line{}, errors.New("no number at the beginning")
	}
	rest = rest[len(prevField):]
	if len(rest) < 2*sha256.Size || !bytes.HasPrefix(rest[2*sha256.Size:], []byte(formField)) {
		return line{}, errors.New("no hash of the line before")
	}
	if err := decodeHash(&l.prev, rest[:2*sha256.Size]); err != nil {
		return line{}, err
	}
	version, rest := leadingNumber(rest[2*sha256.Size+len(formField):])
	if version == 0 || !bytes.HasPrefix(rest, []byte(",")) {
		return line{}, errors.New("no version")
	}
	l.record = append(bytes.Clone(body), '}')
	if !json.Valid(l.record) {
		return line{}, errors.New("no JSON")
	}
	l.intact = sha256.Sum256(body) == l.hash
	if version > formatVersion && l.intact {
		return line{}, fmt.Errorf("record %d: %w (%d)", l.seq, errNewer, version)
	}
	return l, nil
}

// parseWhole parses a line with its newline; without one the line is partial.
func parseWhole(text []byte) (line, error) {
	text, ok := bytes.CutSuffix(text, []byte("\n"))
	if !ok {
		return line{}, errors.New("no newline at the end")
	}
	return parseLine(text)
}

// leadingNumber reads a number without leading zeros; 0 means there is none.
func leadingNumber(text []byte) (uint64, []byte) {
	n := 0
	for n < len(text) && n < 20 && text[n] >= '0' && text[n] <= '9' {
		n++
	}
	if n == 0 || text[0] == '0' {
		return 0, text
	}
	number, err := strconv.ParseUint(string(text[:n]), 10, 64)
	if err != nil {
		return 0, text
	}
	return number, text[n:]
}

func decodeHash(h *hash, digits []byte) error {
	if len(digits) != hex.EncodedLen(len(h)) {
		return fmt.Errorf("a hash of %d digits, want %d", len(digits), hex.EncodedLen(len(h)))
	}
	_, err := hex.Decode(h[:], digits)
	return err
}
