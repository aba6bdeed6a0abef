package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"hash/fnv"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// An index holds one fixed-size row for each record of a file: where its line is, and
// hashes of the fields that a [Filter] compares. A search reads the rows, about 60
// bytes a record, and only the lines whose row fits; the line then decides. An index
// is an aid: it can be deleted at any time, is built again from the file, and no
// verification reads it.
type index struct {
	first   uint64 // record in the file's first line
	covered int64  // bytes of the file that the rows describe
	rows    []byte
}

// indexMagic ends with the version of the layout. The version of the record format
// follows, so that a record that is too new is met again by a program that is too old.
const indexMagic = "gbindx\x00\x02"

const (
	indexHeader = len(indexMagic) + 4 + 8 + 8 + markSize + 4
	// rowSize is the encoded size of a row, in bytes.
	rowSize = 8 + 8 + 4 + 8 + 8 + 6*4
	// markSize is the size of a mark, which tells whether an index is of this file.
	markSize = sha256.Size
	// markLength is how many of the last bytes an index covers go into its mark. They
	// include the hash of a line.
	markLength = 256
	// indexEvery is how many bytes may be added to a file before a running log writes
	// its index again, and so what a search has to parse; reading them takes 20 ms.
	indexEvery = 8 << 20
	// savedFrom is the number of bytes from which a search keeps the index it had to
	// extend. Parsing fewer takes less than writing the rows.
	savedFrom = 1 << 20
)

func indexName(path string, first uint64) string { return segmentName(path, first) + ".index" }

// row describes one record. Texts are compared by their hash.
type row struct {
	seq    uint64
	offset int64
	size   uint32
	time   int64 // microseconds since 1970, rounded down
	id     uint64
	fields [6]uint32 // name, toolId, outcome, riskLevel, kind of the cause, caller
}

func hash64(text string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, text)
	return h.Sum64()
}

func hash32(text string) uint32 { return uint32(hash64(text)) }

func (r row) append(to []byte) []byte {
	to = binary.LittleEndian.AppendUint64(to, r.seq)
	to = binary.LittleEndian.AppendUint64(to, uint64(r.offset))
	to = binary.LittleEndian.AppendUint32(to, r.size)
	to = binary.LittleEndian.AppendUint64(to, uint64(r.time))
	to = binary.LittleEndian.AppendUint64(to, r.id)
	for _, f := range r.fields {
		to = binary.LittleEndian.AppendUint32(to, f)
	}
	return to
}

func (x *index) len() int { return len(x.rows) / rowSize }

func (x *index) row(n int) (r row) {
	b := x.rows[n*rowSize:][:rowSize]
	r.seq, r.offset = binary.LittleEndian.Uint64(b), int64(binary.LittleEndian.Uint64(b[8:]))
	r.size, r.time = binary.LittleEndian.Uint32(b[16:]), int64(binary.LittleEndian.Uint64(b[20:]))
	r.id = binary.LittleEndian.Uint64(b[28:])
	for i := range r.fields {
		r.fields[i] = binary.LittleEndian.Uint32(b[36+4*i:])
	}
	return r
}

// openIndex returns the index of the first size bytes of a file of the chain at path.
// What a stored index does not cover is parsed.
func openIndex(path string, f *os.File, size int64) (*index, error) {
	first, err := firstSeq(f)
	if err != nil {
		first = 0 // a damaged beginning: indexed, and not stored
	}
	x := &index{first: first}
	if first > 0 {
		x.load(indexName(path, first), f, size)
	}
	fresh := size - x.covered
	if err := x.extend(f, size); err != nil {
		return nil, err
	}
	if first > 0 && fresh >= savedFrom {
		_ = x.save(indexName(path, first), f) // the folder may be read-only
	}
	return x, nil
}

// extend adds rows for the lines up to size. A line that is no record has no row.
func (x *index) extend(f *os.File, size int64) error {
	from := x.covered
	return eachLine(io.NewSectionReader(f, from, size-from), func(_ int, offset int64, text []byte) error {
		if text[len(text)-1] != '\n' { // half written
			return nil
		}
		r, ok, err := rowOf(text)
		if err != nil {
			return err
		}
		if ok {
			r.offset, r.size = from+offset, uint32(len(text))
			x.rows = r.append(x.rows)
		}
		x.covered = from + offset + int64(len(text))
		return nil
	})
}

// rowOf reads what a row needs. It parses less than parseLine does, ten times as fast.
func rowOf(text []byte) (r row, ok bool, err error) {
	rest, ok := bytes.CutPrefix(text, []byte(seqField))
	if !ok {
		return r, false, nil
	}
	if r.seq, _ = leadingNumber(rest); r.seq == 0 {
		return r, false, nil
	}
	gjson.ParseBytes(text).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "v":
			if version, _ := strconv.ParseUint(value.Raw, 10, 64); version > formatVersion {
				_, err = parseWhole(text) // an error only if the line is intact
				return err == nil
			}
		case "time":
			if at, err := time.Parse(time.RFC3339Nano, value.Str); err == nil {
				r.time = at.UnixMicro()
			}
		case "id":
			r.id = hash64(value.Str)
		case "name":
			r.fields[0] = hash32(value.Str)
		case "toolId":
			r.fields[1] = hash32(value.Str)
		case "outcome":
			r.fields[2] = hash32(value.Str)
		case "riskLevel":
			r.fields[3] = hash32(value.Str)
		case "cause":
			r.fields[4] = hash32(value.Get("kind").Str)
		case "caller":
			r.fields[5] = hash32(value.Str)
		}
		return true
	})
	if !errors.Is(err, errNewer) {
		err = nil // a damaged line, as Verify says
	}
	return r, true, err
}

// mark hashes the last bytes that an index covers.
func mark(f io.ReaderAt, covered int64) (sum [markSize]byte, err error) {
	text := make([]byte, min(covered, markLength))
	if _, err := f.ReadAt(text, covered-int64(len(text))); err != nil {
		return sum, err
	}
	return sha256.Sum256(text), nil
}

// load reads a stored index. One that is damaged, or not of this file, is ignored.
func (x *index) load(name string, f *os.File, size int64) {
	text, err := os.ReadFile(name)
	if err != nil || len(text) < indexHeader || string(text[:len(indexMagic)]) != indexMagic {
		return
	}
	head, rows := text[len(indexMagic):indexHeader], text[indexHeader:]
	version, first, covered := binary.LittleEndian.Uint32(head), binary.LittleEndian.Uint64(head[4:]), int64(binary.LittleEndian.Uint64(head[12:]))
	sum := head[20:][:markSize]
	if version != formatVersion || first != x.first || covered < 0 || covered > size || len(rows)%rowSize != 0 ||
		binary.LittleEndian.Uint32(head[20+markSize:]) != crc32.Checksum(rows, castagnoli) {
		return
	}
	if want, err := mark(f, covered); err == nil && bytes.Equal(want[:], sum) {
		x.covered, x.rows = covered, rows
	}
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli) // has an instruction on most processors

// save writes the index. Several processes may do so at once: each writes the whole.
func (x *index) save(name string, f *os.File) error {
	sum, err := mark(f, x.covered)
	if err != nil {
		return err
	}
	text := append(make([]byte, 0, indexHeader+len(x.rows)), indexMagic...)
	text = binary.LittleEndian.AppendUint32(text, formatVersion)
	text = binary.LittleEndian.AppendUint64(text, x.first)
	text = binary.LittleEndian.AppendUint64(text, uint64(x.covered))
	text = append(text, sum[:]...)
	text = binary.LittleEndian.AppendUint32(text, crc32.Checksum(x.rows, castagnoli))
	return writeFile(name, append(text, x.rows...))
}

// wanted is a filter as rows are compared with it. A row that does not fit is of no
// record that matches.
type wanted struct {
	filter       Filter
	id           uint64
	since, until int64
	tool         uint32
	fields       [6]uint32
	text         needle
}

func wantedBy(f Filter) wanted {
	w := wanted{filter: f, text: needleOf(f.Text), id: hash64(f.ID), tool: hash32(f.Tool), since: f.Since.UnixMicro(), until: f.Until.UnixMicro()}
	w.fields = [6]uint32{2: hash32(string(f.Outcome)), 3: hash32(f.Level), 4: hash32(f.Kind), 5: hash32(f.Caller)}
	return w
}

func (w *wanted) fits(r row) bool {
	f := &w.filter
	switch {
	case f.Seq != 0 && r.seq != f.Seq,
		f.ID != "" && r.id != w.id,
		f.Tool != "" && r.fields[0] != w.tool && r.fields[1] != w.tool,
		f.Outcome != "" && r.fields[2] != w.fields[2],
		f.Level != "" && r.fields[3] != w.fields[3],
		f.Kind != "" && r.fields[4] != w.fields[4],
		f.Caller != "" && r.fields[5] != w.fields[5],
		f.After != 0 && r.seq <= f.After,
		f.Before != 0 && r.seq >= f.Before,
		!f.Since.IsZero() && r.time < w.since,
		!f.Until.IsZero() && r.time > w.until:
		return false
	}
	return true
}
