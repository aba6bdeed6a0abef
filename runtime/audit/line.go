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

// hash is the hash of a line; the zero hash stands before the first one.
type hash [sha256.Size]byte

func (h hash) String() string { return hex.EncodeToString(h[:]) }

// A line is the record's object with its place in the chain around it,
//
//	{"seq":1,"prev":"<hex>",...,"hash":"<hex>"}
//
// where hash is SHA-256 of everything before `,"hash"`. Hashing the bytes and
// not the values makes any rewriting visible, also one that means the same.
const hashField = `,"hash":"`

// tailLength is what follows the hashed bytes: the field, 64 digits, `"}`.
const tailLength = len(hashField) + 2*sha256.Size + len(`"}`)

// appendLine adds the line of a record, which is a JSON object that is not empty.
func appendLine(dst []byte, seq uint64, prev hash, record []byte) ([]byte, hash) {
	start := len(dst)
	dst = append(dst, `{"seq":`...)
	dst = strconv.AppendUint(dst, seq, 10)
	dst = append(dst, `,"prev":"`...)
	dst = hex.AppendEncode(dst, prev[:])
	dst = append(dst, `",`...)
	dst = append(dst, record[1:len(record)-1]...)
	sum := hash(sha256.Sum256(dst[start:]))
	dst = append(dst, hashField...)
	dst = hex.AppendEncode(dst, sum[:])
	return append(dst, "\"}\n"...), sum
}

// line is a parsed line. Its hash is the one it claims; intact says whether its
// bytes give that hash.
type line struct {
	seq    uint64
	prev   hash
	hash   hash
	intact bool
	record []byte // the line without its hash: the record with seq and prev
}

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
	var fields struct {
		Seq  uint64 `json:"seq"`
		Prev string `json:"prev"`
	}
	l.record = append(bytes.Clone(body), '}')
	if err := json.Unmarshal(l.record, &fields); err != nil {
		return line{}, err
	}
	if err := decodeHash(&l.prev, []byte(fields.Prev)); err != nil {
		return line{}, err
	}
	l.seq = fields.Seq
	l.intact = sha256.Sum256(body) == l.hash
	return l, nil
}

func decodeHash(h *hash, digits []byte) error {
	if len(digits) != hex.EncodedLen(len(h)) {
		return fmt.Errorf("a hash of %d digits, want %d", len(digits), hex.EncodedLen(len(h)))
	}
	_, err := hex.Decode(h[:], digits)
	return err
}
