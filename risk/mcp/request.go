package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// maxCount bounds the counts of a request: more of them change no score, and a
// sum must not overflow.
const maxCount = 1000

// ServerRequest is the JSON form of a [Server], as the command line reads it.
type ServerRequest struct {
	ID             json.RawMessage `json:"id"` // whatever the caller tells requests apart by
	Transport      Transport       `json:"transport"`
	URL            string          `json:"url"`
	Auth           Auth            `json:"auth"`
	Scopes         []string        `json:"oauth_scopes"`
	Signals        []string        `json:"trust_signals"`
	UserTyped      bool            `json:"user_typed"`
	MatchesCatalog bool            `json:"user_typed_matches_catalog"`
	DocGaps        int             `json:"doc_gaps"` // 0 to 3, how many of them
	Writes         bool            `json:"write_capability"`
}

// Server returns what is to be scored.
func (r ServerRequest) Server() Server {
	s := Server{Transport: r.Transport, URL: r.URL, Auth: r.Auth, Scopes: r.Scopes, Signals: ParseSignals(r.Signals), Writes: r.Writes}
	switch {
	case !r.UserTyped:
		s.Origin = Cataloged
	case r.MatchesCatalog:
		s.Origin = TypedMatching
	}
	for i, row := range docGapWords {
		if i < r.DocGaps {
			s.Docs |= row.gap
		}
	}
	return s
}

// ToolRequest is the JSON form of a [Tool], as the command line reads it.
type ToolRequest struct {
	ID          json.RawMessage `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Annotations struct {
		ReadOnly    *bool `json:"read_only"`
		Destructive *bool `json:"destructive"`
		Idempotent  *bool `json:"idempotent"`
		OpenWorld   *bool `json:"open_world"`
	} `json:"annotations"`
	HasSchema bool     `json:"input_schema_present"`
	Coverage  *float64 `json:"param_description_coverage"`
	ToolContext
}

// Tool returns what is to be scored. An absent coverage is full, as for a schema
// without properties.
func (r ToolRequest) Tool() Tool {
	t := Tool{
		Name: r.Name, Description: r.Description, HasSchema: r.HasSchema, Coverage: 1,
		CuratorGaps: r.CuratorGaps, SendsUserData: r.SendsUserData, SideEffect: r.SideEffect, TrustedServer: r.TrustedServer,
		Annotations: Annotations{
			ReadOnly: HintOf(r.Annotations.ReadOnly), Destructive: HintOf(r.Annotations.Destructive),
			Idempotent: HintOf(r.Annotations.Idempotent), OpenWorld: HintOf(r.Annotations.OpenWorld),
		},
	}
	if r.Coverage != nil {
		t.Coverage = *r.Coverage
	}
	return t
}

// sideFields is one side of a composition: either facts to score or a score that
// was made before.
type sideFields struct {
	Level *Level  `json:"level"`
	Score int     `json:"score"`
	Floor *string `json:"floor"`
}

// DecodeServer reads a [ServerRequest] and scores it.
func DecodeServer(p Profile, raw []byte) (ServerRisk, error) {
	var r ServerRequest
	if err := strict(raw, &r); err != nil {
		return ServerRisk{}, fmt.Errorf("server: %w", err)
	}
	return ScoreServer(p, r.Server()), nil
}

// DecodeTool reads a tool in one of three forms and scores it: the definition as
// a server sends it; {"tool": definition, ...} with what else is known; or a
// [ToolRequest], recognised by a field that only it has.
//
// ctx is what is known about a bare definition.
func DecodeTool(p Profile, raw []byte, ctx ToolContext) (ToolRisk, error) {
	fields, err := object(raw)
	if err != nil {
		return ToolRisk{}, fmt.Errorf("tool: %w", err)
	}
	if definition, ok := fields["tool"]; ok {
		var r struct {
			ID     json.RawMessage `json:"id"`
			Server string          `json:"server"`
			Tool   json.RawMessage `json:"tool"`
			ToolContext
		}
		if err := strict(raw, &r); err != nil {
			return ToolRisk{}, fmt.Errorf("tool: %w", err)
		}
		return scoreDefinition(p, definition, r.ToolContext)
	}
	for _, only := range []string{"input_schema_present", "param_description_coverage", "side_effect", "trusted_server", "sends_user_data", "curator_gaps"} {
		if _, ok := fields[only]; !ok {
			continue
		}
		var r ToolRequest
		if err := strict(raw, &r); err != nil {
			return ToolRisk{}, fmt.Errorf("tool: %w", err)
		}
		return ScoreTool(p, r.Tool()), nil
	}
	return scoreDefinition(p, raw, ctx)
}

func scoreDefinition(p Profile, definition []byte, ctx ToolContext) (ToolRisk, error) {
	t, err := ReadTool(p, definition, ctx)
	if err != nil {
		return ToolRisk{}, err
	}
	return ScoreTool(p, t), nil
}

// A Composition is what [DecodeComposition] reads and computes.
type Composition struct {
	ComposedRisk
	HumanInTheLoop bool  `json:"human_in_the_loop"`
	Effective      Level `json:"effective"`
}

// DecodeComposition reads {"server", "tool", "human_in_the_loop"}. Each side is
// what [DecodeServer] or [DecodeTool] reads, or an earlier score {"level",
// "score", "floor"}.
func DecodeComposition(p Profile, raw []byte) (Composition, error) {
	var r struct {
		ID     json.RawMessage `json:"id"`
		Server json.RawMessage `json:"server"`
		Tool   json.RawMessage `json:"tool"`
		HITL   bool            `json:"human_in_the_loop"`
	}
	if err := strict(raw, &r); err != nil {
		return Composition{}, fmt.Errorf("composition: %w", err)
	}
	if r.Server == nil || r.Tool == nil {
		return Composition{}, errors.New(`composition: want both "server" and "tool"`)
	}
	var server ServerRisk
	var tool ToolRisk
	err := decodeSide(p, r.Server, &server.Score, func() (err error) {
		server, err = DecodeServer(p, r.Server)
		return err
	})
	if err != nil {
		return Composition{}, err
	}
	err = decodeSide(p, r.Tool, &tool.Score, func() (err error) {
		tool, err = DecodeTool(p, r.Tool, ToolContext{})
		return err
	})
	if err != nil {
		return Composition{}, err
	}
	c := Compose(p, server, tool)
	return Composition{c, r.HITL, Mitigate(p, c.Level, r.HITL)}, nil
}

// decodeSide fills a score that was made before, or calls score when there is
// none.
func decodeSide(p Profile, raw []byte, into *Score, score func() error) error {
	var known map[string]json.RawMessage
	if json.Unmarshal(raw, &known) == nil && known["level"] == nil {
		return score()
	}
	var f sideFields
	if err := strict(raw, &f); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	*into = Score{Points: min(max(f.Score, -maxCount), maxCount), Profile: p}
	if f.Level != nil {
		into.Level = *f.Level
	}
	if f.Floor != nil {
		into.Floor = floorNamed(*f.Floor, into.Level)
	}
	into.Label = into.Level.Label()
	return nil
}

// floorNamed turns the stable name of a floor back into one.
func floorNamed(id string, level Level) Floor {
	if id == "" {
		return Floor{}
	}
	return Floor{ID: id, Short: id, Level: level, Why: "decided when the score was made"}
}

// object reads a JSON object without looking into its fields.
func object(raw []byte) (map[string]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	err := json.Unmarshal(raw, &fields)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) || err == nil && fields == nil {
		return nil, errors.New("want a JSON object")
	}
	return fields, err
}

// strict decodes one JSON value and refuses fields it does not know, so that a
// misspelled one is not silently the default.
func strict(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	if r, ok := into.(*ToolRequest); ok && r.Coverage != nil && (math.IsNaN(*r.Coverage) || *r.Coverage < 0 || *r.Coverage > 1) {
		return fmt.Errorf("param_description_coverage is %v: want 0 to 1", *r.Coverage)
	}
	return nil
}
