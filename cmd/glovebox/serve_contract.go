package main

import (
	"fmt"
	"os"

	"github.com/glovebox-run/glovebox/risk/contract"
)

// riskContract is what the two contract tools answer by; nil when there is none.
func (c *serveCommand) riskContract() (*contract.Contract, error) {
	path := string(c.counts.Contract)
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	found, err := contract.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return found, nil
}
