// Package ocsf writes records in the words of the Open Cybersecurity Schema Framework,
// which programs that collect security events read: each record is one event of class
// API Activity (6003), version 1.2.0 of the schema.

//	Event  one event; Of makes it of an entry of the record

// What the class has no attribute for is in unmapped, under the names of the record, so
// nothing of the record is lost.
package ocsf

import (
	"encoding/json"
	"time"

	"github.com/glovebox-run/glovebox/runtime/audit"
)

// Version is the version of the schema.
const Version = "1.2.0"

// Numbers of the schema.
const (
	classUID, className       = 6003, "API Activity"
	categoryUID, categoryName = 6, "Application Activity"
	// A call of a tool is none of create, read, update and delete.
	activityID, activityName = 99, "Call"
)

// severities say how much attention an event needs, not how dangerous the tool is.
const (
	informational = 1
	low           = 2
	medium        = 3
	high          = 4
)

var severityNames = map[int]string{informational: "Informational", low: "Low", medium: "Medium", high: "High"}

// Event is one event.
type Event struct {
	ActivityID   int             `json:"activity_id"`
	ActivityName string          `json:"activity_name"`
	CategoryUID  int             `json:"category_uid"`
	CategoryName string          `json:"category_name"`
	ClassUID     int             `json:"class_uid"`
	ClassName    string          `json:"class_name"`
	TypeUID      int             `json:"type_uid"`
	TypeName     string          `json:"type_name"`
	Time         int64           `json:"time"`            // milliseconds since 1970
	Duration     int64           `json:"duration"`        // milliseconds
	Count        uint64          `json:"count,omitempty"` // of calls that share the record
	SeverityID   int             `json:"severity_id"`
	Severity     string          `json:"severity"`
	StatusID     int             `json:"status_id"`
	Status       string          `json:"status"`
	StatusCode   string          `json:"status_code,omitempty"`
	StatusDetail string          `json:"status_detail,omitempty"`
	Metadata     Metadata        `json:"metadata"`
	Actor        Actor           `json:"actor"`
	API          API             `json:"api"`
	SrcEndpoint  Named           `json:"src_endpoint"` // the schema wants one; a record has no address
	Resources    []Resource      `json:"resources"`
	Unmapped     json.RawMessage `json:"unmapped"`
}

// Metadata says which event it is.
type Metadata struct {
	Version        string  `json:"version"`
	Product        Product `json:"product"`
	LogName        string  `json:"log_name"`
	UID            string  `json:"uid"`             // the record's hash
	CorrelationUID string  `json:"correlation_uid"` // the call
	Sequence       uint64  `json:"sequence"`
	OriginalTime   string  `json:"original_time"`
}

// Product is what writes the events.
type Product struct {
	Name   string `json:"name"`
	Vendor string `json:"vendor_name"`
}

// Actor is who called, and the program that says it did so.
type Actor struct {
	User Named  `json:"user"`
	App  string `json:"app_name,omitempty"`
}

// Named is something with a name.
type Named struct {
	Name string `json:"name"`
}

// API is what was called, and what came of it.
type API struct {
	Operation string   `json:"operation"`
	Service   Named    `json:"service"`
	Request   Request  `json:"request"`
	Response  Response `json:"response"`
}

// Request is the call.
type Request struct {
	UID string `json:"uid"`
}

// Response is what came of it.
type Response struct {
	Error   string `json:"error,omitempty"`
	Message string `json:"error_message,omitempty"`
}

// Resource is a tool, or a host that requests were sent to.
type Resource struct {
	Name    string `json:"name"`
	UID     string `json:"uid,omitempty"`
	Type    string `json:"type"`
	Version string `json:"version,omitempty"` // the hash of its definition
}

// rest is what the class has no attribute for: the record without what is said already.
type rest struct {
	audit.Record
	Time    struct{} `json:"time,omitzero"`
	ID      struct{} `json:"id,omitzero"`
	Tool    struct{} `json:"name,omitzero"`
	ToolID  struct{} `json:"toolId,omitzero"`
	Hash    struct{} `json:"contentHash,omitzero"`
	Caller  struct{} `json:"caller,omitzero"`
	Client  struct{} `json:"client,omitzero"`
	Hosts   struct{} `json:"hosts,omitzero"`
	Elapsed int64    `json:"elapsedUs"` // the event has milliseconds
}

// Of makes an event of an entry.
func Of(e audit.Entry) (Event, error) {
	unmapped, err := json.Marshal(rest{Record: e.Record, Elapsed: time.Duration(e.Elapsed).Microseconds()})
	if err != nil {
		return Event{}, err
	}
	v := Event{
		ActivityID: activityID, ActivityName: activityName, CategoryUID: categoryUID, CategoryName: categoryName, ClassUID: classUID, ClassName: className,
		TypeUID: classUID*100 + activityID, TypeName: className + ": " + activityName,
		Time: e.Time.UnixMilli(), Duration: time.Duration(e.Elapsed).Milliseconds(), SeverityID: severity(e.Record),
		Metadata: Metadata{
			Version: Version, Product: Product{"Glovebox", "Glovebox"}, LogName: "audit", UID: e.Hash, CorrelationUID: e.ID,
			Sequence: e.Seq, OriginalTime: e.Time.UTC().Format(time.RFC3339Nano),
		},
		Actor: Actor{Named{e.Caller}, e.Client}, SrcEndpoint: Named{e.Caller},
		API:       API{Operation: e.Tool, Service: Named{"glovebox"}, Request: Request{e.ID}},
		Resources: []Resource{{Name: e.Tool, UID: e.ToolID, Type: "tool", Version: e.ContentHash}}, Unmapped: unmapped,
	}
	v.Severity = severityNames[v.SeverityID]
	v.StatusID, v.Status = 2, "Failure"
	switch e.Outcome {
	case audit.OK:
		v.StatusID, v.Status = 1, "Success"
	case audit.Asked:
		v.StatusID, v.Status = 99, "Asked"
	}
	if c := e.Cause; c != nil {
		v.StatusCode, v.StatusDetail = c.Kind, c.Message
		v.API.Response = Response{c.Kind, c.Message}
	}
	if c := e.Coalesced; c != nil {
		v.Count = c.Calls + 1
	}
	for _, host := range e.Hosts {
		v.Resources = append(v.Resources, Resource{Name: host, Type: "host"})
	}
	return v, nil
}

// severity of an event: what a guard stopped before what was refused, before what failed.
func severity(r audit.Record) int {
	switch {
	case len(r.Blocked) > 0:
		return high
	case r.Outcome == audit.Refused:
		return medium
	case r.Outcome == audit.Error:
		return low
	}
	return informational
}
