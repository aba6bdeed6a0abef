package main

import (
	"encoding/json"
	"io"

	"github.com/glovebox-run/glovebox/risk/poison"
)

// The members of SARIF 2.1.0 that code scanning services read.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver struct {
				Name  string      `json:"name"`
				Rules []sarifRule `json:"rules"`
			} `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
		Properties          map[string]any    `json:"properties"`
	}
	sarifLocation struct {
		LogicalLocations []sarifLogical `json:"logicalLocations"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

var sarifLevels = map[poison.Confidence]string{poison.Low: "note", poison.Medium: "warning", poison.High: "error"}

func writeScanSARIF(w io.Writer, results []scanned) error {
	run := sarifRun{Results: []sarifResult{}}
	run.Tool.Driver.Name = "glovebox"
	for _, r := range poison.Rules() {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{ID: r.ID, ShortDescription: sarifText{r.Why}})
	}
	for _, r := range results {
		owner := r.ID
		if r.Server != "" {
			owner = r.Server + "/" + r.ID
		}
		for _, f := range r.Findings {
			place := owner + "#" + f.Pointer
			run.Results = append(run.Results, sarifResult{
				RuleID: f.Rule, Level: sarifLevels[f.Confidence], Message: sarifText{f.Why + ": " + f.Text},
				Locations:           []sarifLocation{{[]sarifLogical{{place, "member"}}}},
				PartialFingerprints: map[string]string{"place/v1": place + " " + f.Rule},
				Properties:          map[string]any{"class": f.Class, "confidence": f.Confidence, "start": f.Start, "end": f.End},
			})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}})
}
