package parse

import (
	"bytes"
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/internal/hostcall"
)

// csvOptions are the first line of parser.csv's text; the document follows.
type csvOptions struct {
	Header    bool   `json:"header"`
	Delimiter string `json:"delimiter"`
}

// CSV serves parser.csv: RFC 4180, with any one character as the delimiter and
// lines that end in LF, CRLF or CR. The reply is an array of arrays of strings,
// or with a header of objects. Lines with nothing on them are passed over; a
// missing field is an empty string and a field beyond the header is left out.
func CSV(_ context.Context, account *budget.Account, text, _ []byte) ([]byte, []byte, error) {
	options, document, _ := bytes.Cut(text, []byte("\n"))
	var o csvOptions
	if err := json.Unmarshal(options, &o); err != nil {
		return nil, nil, hostcall.Errorf(hostcall.InvalidInput, helperCSV, "invalid-argument", "%v", err)
	}
	if err := checkInput(helperCSV, document); err != nil {
		return nil, nil, err
	}
	delimiter, _ := utf8.DecodeRuneInString(o.Delimiter)
	if o.Delimiter == "" {
		delimiter = ','
	}
	if delimiter == '"' || delimiter == '\n' || delimiter == '\r' {
		return nil, nil, hostcall.Errorf(hostcall.InvalidInput, helperCSV, "invalid-delimiter", "%q cannot separate fields", delimiter)
	}
	r := csvReader{account: account, text: bytes.TrimPrefix(document, []byte("\ufeff")), delimiter: []byte(string(delimiter)), line: 1, column: 1}
	reply, err := r.rows(o.Header)
	return reply, nil, err
}

// A record of objects repeats every name of the header, so a wide header over
// short records grows with the square of the text. A reply may have csvGrowth
// bytes for each byte of the text, and csvRoom besides: names of 60 characters
// over fields of one.
const (
	csvGrowth = 32
	csvRoom   = 128 << 10
)

type csvReader struct {
	account   *budget.Account
	text      []byte
	at        int
	delimiter []byte
	line      int
	column    int // in characters

	fields [][]byte // of the record; most are pieces of the text
	copied int      // bytes of them that are not
}

// rows writes all records.
func (r *csvReader) rows(header bool) ([]byte, error) {
	out := budget.NewBuilder(r.account)
	out.WriteByte('[')
	var names []csvName
	for first := true; r.at < len(r.text); {
		if r.skipLineEnd() {
			continue
		}
		if err := r.record(); err != nil {
			return nil, err
		}
		if header && names == nil {
			var err error
			if names, err = r.header(); err != nil {
				return nil, err
			}
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		if names == nil {
			r.writeArray(out)
		} else {
			r.writeObject(out, names)
		}
		if out.Err() != nil {
			return nil, out.Err()
		}
		if out.Len()/csvGrowth > len(r.text)+csvRoom/csvGrowth {
			return nil, malformed(helperCSV, r.line, r.column, "the records repeat or lack so many of the header's names that the result is more than %d times as long as the text; parse without a header", csvGrowth)
		}
		r.account.Drop(r.copied)
		r.copied = 0
	}
	out.WriteByte(']')
	return out.Bytes()
}

func (r *csvReader) writeArray(out *budget.Builder) {
	out.WriteByte('[')
	for i, field := range r.fields {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteJSONBytes(field)
	}
	out.WriteByte(']')
}

// csvName is one member of the objects: a name of the header, and the column of
// its value.
type csvName struct {
	text   []byte
	column int
}

// header takes the record as names. Of equal names the last counts, as in any
// JSON object.
func (r *csvReader) header() ([]csvName, error) {
	const size = 160 // bytes: an entry of the map and one of the list
	if err := r.account.Hold(len(r.fields) * size); err != nil {
		return nil, err
	}
	names := make([]csvName, 0, len(r.fields))
	known := make(map[string]int, len(r.fields))
	for i, field := range r.fields {
		if at, twice := known[string(field)]; twice {
			names[at].column = i
			continue
		}
		if err := r.account.Hold(len(field)); err != nil {
			return nil, err
		}
		known[string(field)] = len(names)
		names = append(names, csvName{field, i})
	}
	r.copied = 0 // the names stay
	return names, nil
}

func (r *csvReader) writeObject(out *budget.Builder, names []csvName) {
	if r.account.ChargeEach(len(names), budget.Element) != nil {
		return // rows asks the account at the next record
	}
	out.WriteByte('{')
	for i, name := range names {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteJSONBytes(name.text)
		out.WriteByte(':')
		if name.column < len(r.fields) {
			out.WriteJSONBytes(r.fields[name.column])
		} else {
			out.WriteString(`""`)
		}
	}
	out.WriteByte('}')
}

// record reads one line, which may go over several where a field is quoted.
func (r *csvReader) record() error {
	r.fields = r.fields[:0]
	for {
		field, err := r.next()
		if err != nil {
			return err
		}
		if err := r.add(field); err != nil {
			return err
		}
		if !r.skip(r.delimiter) {
			if !r.skipLineEnd() && r.at < len(r.text) {
				return malformed(helperCSV, r.line, r.column, "a quoted field is followed by something else than %q or the end of the line", r.delimiter)
			}
			return nil
		}
	}
}

func (r *csvReader) add(field []byte) error {
	if err := r.account.Charge(2 * budget.Element); err != nil {
		return err
	}
	if len(r.fields) == cap(r.fields) {
		const size = 24 // bytes of a slice
		more := max(16, 2*cap(r.fields))
		if err := r.account.Hold(more * size); err != nil {
			return err
		}
		grown := append(make([][]byte, 0, more), r.fields...)
		r.account.Drop(cap(r.fields) * size)
		r.fields = grown
	}
	r.fields = append(r.fields, field)
	return nil
}

func (r *csvReader) next() ([]byte, error) {
	if r.at < len(r.text) && r.text[r.at] == '"' {
		return r.quoted()
	}
	start := r.at
	for r.at < len(r.text) && r.text[r.at] != '\n' && r.text[r.at] != '\r' && !bytes.HasPrefix(r.text[r.at:], r.delimiter) {
		r.advance()
	}
	return r.text[start:r.at], nil
}

// quoted reads a field in quotes. One with quotes inside is copied.
func (r *csvReader) quoted() ([]byte, error) {
	line, column := r.line, r.column
	r.advance()
	start, inside := r.at, 0
	for r.at < len(r.text) {
		c := r.text[r.at]
		r.advance()
		if c != '"' {
			continue
		}
		if r.at < len(r.text) && r.text[r.at] == '"' {
			inside++
			r.advance()
			continue
		}
		field := r.text[start : r.at-1]
		if inside == 0 {
			return field, nil
		}
		if err := r.account.Hold(len(field)); err != nil {
			return nil, err
		}
		r.copied += len(field)
		return bytes.ReplaceAll(field, []byte(`""`), []byte(`"`)), nil
	}
	return nil, malformed(helperCSV, line, column, "a quoted field does not end")
}

func (r *csvReader) skip(s []byte) bool {
	if !bytes.HasPrefix(r.text[r.at:], s) {
		return false
	}
	r.advance()
	return true
}

func (r *csvReader) skipLineEnd() bool {
	if r.at == len(r.text) {
		return false
	}
	switch r.text[r.at] {
	case '\r':
		r.advance()
		if r.at < len(r.text) && r.text[r.at] == '\n' {
			r.advance()
		} else {
			r.line, r.column = r.line+1, 1
		}
		return true
	case '\n':
		r.advance()
		return true
	}
	return false
}

// advance goes on by one character.
func (r *csvReader) advance() {
	_, size := utf8.DecodeRune(r.text[r.at:])
	if r.text[r.at] == '\n' {
		r.line, r.column = r.line+1, 1
	} else {
		r.column++
	}
	r.at += size
}
