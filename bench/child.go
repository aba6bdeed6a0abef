package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// childPeer talks to a peer that lives in a process of its own: one that needs
// another version of a module, or another language. One JSON object a line each
// way; the child does its own timing.
type childPeer struct {
	name  string
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *bufio.Scanner
}

type childRequest struct {
	Peer   string `json:"peer"`
	Kind   string `json:"kind"` // "fresh", "program"
	Source string `json:"source"`
	// Arguments is the JSON text that a fresh call parses; empty when the
	// arguments are part of the source.
	Arguments string `json:"arguments,omitempty"`
	N         int    `json:"n"`
}

type childAnswer struct {
	Nanoseconds []int64 `json:"ns"`
	Value       string  `json:"value"`
	Error       string  `json:"error"`
}

// maxAnswer is the longest line of a child in bytes: 100,000 durations.
const maxAnswer = 2 << 20

func startChild(name string, command ...string) (*childPeer, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxAnswer)
	return &childPeer{name, cmd, in, lines}, nil
}

func (p *childPeer) Name() string { return p.name }

func (p *childPeer) ask(r childRequest) (childAnswer, error) {
	var a childAnswer
	r.Peer = p.name
	if err := json.NewEncoder(p.in).Encode(r); err != nil {
		return a, fmt.Errorf("%s: %w", p.name, err)
	}
	if !p.lines.Scan() {
		return a, fmt.Errorf("%s: ended: %w", p.name, errors.Join(p.lines.Err(), io.ErrUnexpectedEOF))
	}
	if err := json.Unmarshal(p.lines.Bytes(), &a); err != nil {
		return a, fmt.Errorf("%s: %w", p.name, err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("%s: %s", p.name, a.Error)
	}
	return a, nil
}

func (p *childPeer) Fresh(t tool, n int) (sample, error) {
	a, err := p.ask(childRequest{Kind: "fresh", Source: plain(t), N: n})
	s := make(sample, len(a.Nanoseconds))
	for i, ns := range a.Nanoseconds {
		s[i] = time.Duration(ns)
	}
	return s, err
}

func (p *childPeer) Program(source string) (time.Duration, string, error) {
	a, err := p.ask(childRequest{Kind: "program", Source: source, N: 1})
	if err != nil {
		return 0, "", err
	}
	return time.Duration(a.Nanoseconds[0]), a.Value, nil
}

func (p *childPeer) Close() error {
	return errors.Join(p.in.Close(), p.cmd.Wait())
}
