// Package request is the JSON form of requests for scores and their results, for the
// command line and other programs that do not call risk/mcp directly. One request is
// one object; [ScoreLines] answers a stream of them.
//
// An unknown field is an error, so that a misspelled one does not silently get its
// default.
package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/glovebox-run/glovebox/catalog/servers"
	"github.com/glovebox-run/glovebox/risk/mcp"
)

// maxCount bounds the counts in a request: higher counts change no score, and a sum
// must not overflow.
const maxCount = 1000

// Server is the JSON form of [mcp.Server].
type Server struct {
	ID             json.RawMessage `json:"id"` // chosen by the caller to identify the request
	Transport      mcp.Transport   `json:"transport"`
	URL            string          `json:"url"`
	Auth           mcp.Auth        `json:"auth"`
	Scopes         []string        `json:"oauth_scopes"`
	Signals        []string        `json:"trust_signals"`
	UserTyped      bool            `json:"user_typed"`
	MatchesCatalog bool            `json:"user_typed_matches_catalog"`
	DocGaps        int             `json:"doc_gaps"` // 0 to 3, how many of them
	Writes         bool            `json:"write_capability"`
}

// gaps are the documentation gaps in the order in which a count fills them.
var gaps = []mcp.DocGaps{mcp.NoDocsURL, mcp.DocsInadequate, mcp.UnusedFor90Days}

// Facts returns the facts to score.
func (r Server) Facts() mcp.Server {
	s := mcp.Server{Transport: r.Transport, URL: r.URL, Auth: r.Auth, Scopes: r.Scopes, Signals: mcp.ParseSignals(r.Signals), Writes: r.Writes}
	switch {
	case !r.UserTyped:
		s.Origin = mcp.Cataloged
	case r.MatchesCatalog:
		s.Origin = mcp.TypedMatching
	}
	for i, gap := range gaps {
		if i < r.DocGaps {
			s.Docs |= gap
		}
	}
	return s
}

// Tool is the JSON form of [mcp.Tool].
type Tool struct {
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
	mcp.ToolContext
}

// Facts returns the facts to score. An absent coverage counts as full, as for a
// schema without properties.
func (r Tool) Facts() mcp.Tool {
	t := mcp.Tool{
		Name: r.Name, Description: r.Description, HasSchema: r.HasSchema, Coverage: 1,
		CuratorGaps: r.CuratorGaps, SendsUserData: r.SendsUserData, SideEffect: r.SideEffect, TrustedServer: r.TrustedServer,
		Annotations: mcp.Annotations{
			ReadOnly: mcp.HintOf(r.Annotations.ReadOnly), Destructive: mcp.HintOf(r.Annotations.Destructive),
			Idempotent: mcp.HintOf(r.Annotations.Idempotent), OpenWorld: mcp.HintOf(r.Annotations.OpenWorld),
		},
	}
	if r.Coverage != nil {
		t.Coverage = *r.Coverage
	}
	return t
}

// ScoreRegistration reads a [mcp.Registration] and previews it.
func ScoreRegistration(p mcp.Profile, raw []byte, catalog []servers.Entry) (mcp.Preview, error) {
	var r struct {
		ID json.RawMessage `json:"id"`
		mcp.Registration
	}
	if err := strict(raw, &r); err != nil {
		return mcp.Preview{}, fmt.Errorf("registration: %w", err)
	}
	return mcp.PreviewRegistration(p, r.Registration, catalog), nil
}

// ScoreServer reads a [Server] and scores it.
func ScoreServer(p mcp.Profile, raw []byte) (mcp.ServerRisk, error) {
	var r Server
	if err := strict(raw, &r); err != nil {
		return mcp.ServerRisk{}, fmt.Errorf("server: %w", err)
	}
	return mcp.ScoreServer(p, r.Facts()), nil
}

// ScoreTool reads a tool in one of three forms and scores it: the definition as
// a server sends it; {"tool": definition, ...} with further facts; or a [Tool],
// recognised by a field that only it has.
//
// ctx is what is known about a bare definition.
func ScoreTool(p mcp.Profile, raw []byte, ctx mcp.ToolContext) (mcp.ToolRisk, error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return scoreDefinition(p, raw, ctx) // reports what is wrong with it
	}
	if definition, ok := fields["tool"]; ok {
		var r struct {
			ID     json.RawMessage `json:"id"`
			Server string          `json:"server"`
			Tool   json.RawMessage `json:"tool"`
			mcp.ToolContext
		}
		if err := strict(raw, &r); err != nil {
			return mcp.ToolRisk{}, fmt.Errorf("tool: %w", err)
		}
		return scoreDefinition(p, definition, r.ToolContext)
	}
	for _, only := range []string{"input_schema_present", "param_description_coverage", "side_effect", "trusted_server", "sends_user_data", "curator_gaps"} {
		if _, ok := fields[only]; !ok {
			continue
		}
		var r Tool
		if err := strict(raw, &r); err != nil {
			return mcp.ToolRisk{}, fmt.Errorf("tool: %w", err)
		}
		return mcp.ScoreTool(p, r.Facts()), nil
	}
	return scoreDefinition(p, raw, ctx)
}

func scoreDefinition(p mcp.Profile, definition []byte, ctx mcp.ToolContext) (mcp.ToolRisk, error) {
	t, err := mcp.ReadTool(p, definition, ctx)
	if err != nil {
		return mcp.ToolRisk{}, err
	}
	return mcp.ScoreTool(p, t), nil
}

// A Composition is what [ScoreComposition] reads and computes.
type Composition struct {
	mcp.ComposedRisk
	HumanInTheLoop bool      `json:"human_in_the_loop"`
	Effective      mcp.Level `json:"effective"`
}

// ScoreComposition reads {"server", "tool", "human_in_the_loop"}. Each side is
// what [ScoreServer] or [ScoreTool] reads, or an earlier score {"level",
// "score", "floor"}.
func ScoreComposition(p mcp.Profile, raw []byte) (Composition, error) {
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
	var server mcp.ServerRisk
	var tool mcp.ToolRisk
	err := decodeSide(p, r.Server, &server.Score, func() (err error) {
		server, err = ScoreServer(p, r.Server)
		return err
	})
	if err != nil {
		return Composition{}, err
	}
	err = decodeSide(p, r.Tool, &tool.Score, func() (err error) {
		tool, err = ScoreTool(p, r.Tool, mcp.ToolContext{})
		return err
	})
	if err != nil {
		return Composition{}, err
	}
	c := mcp.Compose(p, server, tool)
	return Composition{c, r.HITL, mcp.Mitigate(p, c.Level, r.HITL)}, nil
}

// decodeSide reads an earlier score, or calls score if there is none. It skips
// fields of an earlier result that a composition does not use.
func decodeSide(p mcp.Profile, raw []byte, into *mcp.Score, score func() error) error {
	var known map[string]json.RawMessage
	if json.Unmarshal(raw, &known) == nil && known["level"] == nil {
		return score()
	}
	var f struct {
		Level mcp.Level       `json:"level"`
		Score int             `json:"score"`
		Axes  []mcp.Axis      `json:"axes"`
		Floor json.RawMessage `json:"floor"` // its id, or all of it
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	*into = mcp.Score{Level: f.Level, Label: f.Level.Label(), Points: min(max(f.Score, -maxCount), maxCount), Axes: f.Axes, Profile: p}
	var id string
	if len(f.Floor) == 0 || json.Unmarshal(f.Floor, &id) == nil {
		if id != "" {
			into.Floor = mcp.Floor{ID: id, Short: id, Level: f.Level, Why: "decided when the score was made"}
		}
		return nil
	}
	if err := json.Unmarshal(f.Floor, &into.Floor); err != nil || into.Floor.ID == "" {
		return errors.New("score: the floor is neither an id nor an object with one")
	}
	return nil
}

// strict decodes one JSON value and refuses unknown fields, so that a misspelled one
// does not silently get its default.
func strict(raw []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	if r, ok := into.(*Tool); ok && r.Coverage != nil && (math.IsNaN(*r.Coverage) || *r.Coverage < 0 || *r.Coverage > 1) {
		return fmt.Errorf("param_description_coverage is %v: want 0 to 1", *r.Coverage)
	}
	return nil
}
