package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// append appends the record as JSON in one line. It writes what json.Marshal means, without
// its reflection, which took longer than writing the record to its file; the fields that
// most records lack are left to it.
func (r *Record) append(b []byte) ([]byte, error) {
	w := writer{text: append(b, '{')}
	w.text = append(r.Time.AppendFormat(append(w.text, `"time":"`...), time.RFC3339Nano), '"')
	w.string("id", r.ID)
	w.optional("traceId", r.Trace)
	w.string("toolId", r.ToolID)
	w.string("name", r.Tool)
	w.string("category", r.Category)
	w.raw("toolSafety", r.ToolSafety)
	w.string("riskLevel", r.RiskLevel)
	w.optional("contentHash", r.ContentHash)
	w.string("decision", r.Decision)
	w.optional("caller", r.Caller)
	w.optional("client", r.Client)
	w.any("approval", r.Approval, r.Approval != nil)
	w.raw("parameters", r.Parameters)
	w.string("outcome", string(r.Outcome))
	w.any("cause", r.Cause, r.Cause != nil)
	w.number("elapsedUs", uint64(max(0, time.Duration(r.Elapsed).Microseconds())))
	w.number("fuel", r.Fuel)
	w.number("statements", r.Statements)
	w.number("peakMemory", r.PeakMemory)
	w.any("hostCalls", r.HostCalls, len(r.HostCalls) > 0)
	w.any("blocked", r.Blocked, len(r.Blocked) > 0)
	w.any("hosts", r.Hosts, len(r.Hosts) > 0)
	w.raw("redactions", r.Redactions)
	w.raw("orders", r.Orders)
	w.raw("flow", r.Flow)
	w.any("coalesced", r.Coalesced, r.Coalesced != nil)
	return append(w.text, '}'), w.err
}

// writer appends members, each after another one.
type writer struct {
	text []byte
	err  error
}

func (w *writer) member(name string) {
	w.text = append(append(append(w.text, ',', '"'), name...), '"', ':')
}

func (w *writer) string(name, value string) {
	w.member(name)
	// What is not UTF-8 is replaced, as by json.Marshal; the error says that it was.
	w.text, _ = jsontext.AppendQuote(w.text, value)
}

func (w *writer) optional(name, value string) {
	if value != "" {
		w.string(name, value)
	}
}

func (w *writer) number(name string, value uint64) {
	w.member(name)
	w.text = strconv.AppendUint(w.text, value, 10)
}

// raw appends JSON that others wrote. A line break in it would end the record.
func (w *writer) raw(name string, value json.RawMessage) {
	if len(value) == 0 {
		return
	}
	w.member(name)
	if !json.Valid(value) {
		w.err = errors.Join(w.err, errors.New(name+" is no JSON"))
		return
	}
	if !bytes.ContainsAny(value, "\n\r") {
		w.text = append(w.text, value...)
		return
	}
	line := bytes.NewBuffer(w.text)
	w.err = errors.Join(w.err, json.Compact(line, value))
	w.text = line.Bytes()
}

func (w *writer) any(name string, value any, there bool) {
	if !there {
		return
	}
	text, err := json.Marshal(value)
	w.err = errors.Join(w.err, err)
	w.member(name)
	w.text = append(w.text, text...)
}
