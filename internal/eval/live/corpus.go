package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/tidwall/gjson"

	"github.com/glovebox-run/glovebox/risk/capability"
	"github.com/glovebox-run/glovebox/risk/live"
)

// session is one line of a corpus. What is true of it (kind, injected, malicious) is
// read by the counts alone; nothing of it reaches the engine.
type session struct {
	ID      string `json:"id"`
	Source  string `json:"source"`
	Suite   string `json:"suite"`
	Kind    string `json:"kind"` // honest, attack
	Servers []string
	Steps   []step
}

type step struct {
	Server, Tool    string
	Arguments       json.RawMessage
	Result          string
	IsError         bool `json:"is_error"`
	Malicious       bool
	Effect          *bool
	AfterAttack     bool `json:"after_attack"`
	SchemaViolation bool `json:"schema_violation"`
}

// harm reports whether a step is one that the attacker needs.
func (s *step) harm() bool { return s.Malicious && s.Effect != nil && *s.Effect }

const maxLine = 64 << 20 // bytes of one session

// readSessions calls each for every session of a file.
func readSessions(name string, each func(*session) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		var s session
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return fmt.Errorf("%s line %d: %w", name, n, err)
		}
		if err := each(&s); err != nil {
			return err
		}
	}
	return lines.Err()
}

type server struct {
	Name    string
	Trusted bool
	Tools   []json.RawMessage
}

func readJSON(name string, into any) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxLine))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// book reads the profiles of all tools, with or without the operator's file.
func book(servers map[string]server, file *live.File) *live.Book {
	b := live.NewBook(file)
	for key, s := range servers {
		for _, raw := range s.Tools {
			b.Add(key, capability.Parse(raw), live.Hints{
				ReadOnly:    gjson.GetBytes(raw, "annotations.readOnlyHint").Type == gjson.True,
				Destructive: gjson.GetBytes(raw, "annotations.destructiveHint").Type == gjson.True,
			}, s.Trusted)
		}
	}
	return b
}
