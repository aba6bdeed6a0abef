package parse

import (
	"bytes"
	"context"
	"encoding/json"
	"unicode/utf8"

	"github.com/glovebox-run/glovebox/budget"
	"github.com/glovebox-run/glovebox/host/hostcall"
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
func CSV(_ context.Context, _ *budget.Account, text, _ []byte) ([]byte, []byte, error) {
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
	r := csvReader{text: bytes.TrimPrefix(document, []byte("\ufeff")), delimiter: string(delimiter), line: 1, column: 1}
	reply, err := r.rows(o.Header)
	return reply, nil, err
}

type csvReader struct {
	text      []byte
	at        int
	delimiter string
	line      int
	column    int // in characters
	field     []byte
}

// rows writes all records.
func (r *csvReader) rows(header bool) ([]byte, error) {
	out := []byte{'['}
	var names []string
	for r.at < len(r.text) {
		if r.skipLineEnd() {
			continue
		}
		fields, err := r.record()
		if err != nil {
			return nil, err
		}
		if header && names == nil {
			names = fields
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		if names == nil {
			out = appendStrings(out, fields)
		} else {
			out = appendObject(out, names, fields)
		}
	}
	return append(out, ']'), nil
}

func appendStrings(out []byte, list []string) []byte {
	out = append(out, '[')
	for i, s := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendString(out, s)
	}
	return append(out, ']')
}

// appendObject writes one record by its header. Of equal names the last counts,
// as in any JSON object.
func appendObject(out []byte, names, fields []string) []byte {
	out = append(out, '{')
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		value := ""
		if i < len(fields) {
			value = fields[i]
		}
		out = append(appendString(out, name), ':')
		out = appendString(out, value)
	}
	return append(out, '}')
}

// record reads one line, which may go over several where a field is quoted.
func (r *csvReader) record() ([]string, error) {
	var fields []string
	for {
		field, err := r.next()
		if err != nil {
			return nil, err
		}
		fields = append(fields, field)
		if !r.skip(r.delimiter) {
			if !r.skipLineEnd() && r.at < len(r.text) {
				return nil, malformed(helperCSV, r.line, r.column, "a quoted field is followed by something else than %q or the end of the line", r.delimiter)
			}
			return fields, nil
		}
	}
}

func (r *csvReader) next() (string, error) {
	if r.at < len(r.text) && r.text[r.at] == '"' {
		return r.quoted()
	}
	start := r.at
	for r.at < len(r.text) && r.text[r.at] != '\n' && r.text[r.at] != '\r' && !bytes.HasPrefix(r.text[r.at:], []byte(r.delimiter)) {
		r.advance()
	}
	return string(r.text[start:r.at]), nil
}

func (r *csvReader) quoted() (string, error) {
	line, column := r.line, r.column
	r.field = r.field[:0]
	r.advance()
	for r.at < len(r.text) {
		c := r.text[r.at]
		if c == '"' {
			r.advance()
			if r.at == len(r.text) || r.text[r.at] != '"' {
				return string(r.field), nil
			}
		}
		from := r.at
		r.advance()
		r.field = append(r.field, r.text[from:r.at]...)
	}
	return "", malformed(helperCSV, line, column, "a quoted field does not end")
}

func (r *csvReader) skip(s string) bool {
	if !bytes.HasPrefix(r.text[r.at:], []byte(s)) {
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
