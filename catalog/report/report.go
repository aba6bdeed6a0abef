// Package report checks several spec files together and reports their problems as
// text, JSON or SARIF.
//
// It reads bytes that its caller loaded and knows nothing about files. Read
// [Check].
package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/lint"
	"github.com/glovebox-run/glovebox/catalog/sarif"
)

// Input is one file: a spec, or a bundle of them.
type Input struct {
	Name string
	Data []byte
}

// File holds the findings of one file.
type File struct {
	Name     string           `json:"file"`
	Specs    []Tool           `json:"specs"`
	Ignored  []string         `json:"ignored,omitempty"` // pointers in a bundle that have no meaning here
	Problems catalog.Problems `json:"problems"`
}

// Tool identifies a readable spec.
type Tool struct {
	Name   string `json:"name"`
	ToolID string `json:"toolId"`
	Hash   string `json:"hash"`
}

// Report holds the findings of all files.
type Report struct {
	Files    []File `json:"files"`
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
}

// Check checks every file by itself in all layers that need no running tool,
// against the operator's policy and environment, and then the documents against
// each other. compile reports the problems that keep a spec's code from compiling;
// nil reports none.
func Check(inputs []Input, b catalog.Baseline, c catalog.Ceiling, lookup catalog.Lookup, compile func(*catalog.Spec) catalog.Problems) Report {
	more := func(s *catalog.Spec) catalog.Problems {
		found := lint.Check(s, lookup)
		if compile != nil {
			found = append(found, compile(s)...)
		}
		return found
	}
	var r Report
	var together []catalog.File
	var owner []int // the file in r.Files of each of together
	for i, in := range inputs {
		specs, file := read(in, b, c, more)
		for _, s := range specs {
			file.Specs = append(file.Specs, Tool{s.Name(), s.ToolID(), s.Hash().String()})
			together = append(together, catalog.File{Name: in.Name, Spec: s})
			owner = append(owner, i)
		}
		r.Files = append(r.Files, file)
	}
	for i, problems := range catalog.CheckTogether(together) {
		file := &r.Files[owner[i]]
		file.Problems = append(file.Problems, problems...)
	}
	for i := range r.Files {
		problems := r.Files[i].Problems
		slices.SortStableFunc(problems, func(a, b catalog.Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		for _, p := range problems {
			if p.Warning {
				r.Warnings++
			} else {
				r.Errors++
			}
		}
	}
	return r
}

// Refuse adds a file that lies beside the specs and is refused.
func (r *Report) Refuse(name string, problems catalog.Problems) {
	r.Files = append(r.Files, File{Name: name, Specs: []Tool{}, Problems: problems})
	r.Errors += len(problems)
}

func read(in Input, b catalog.Baseline, c catalog.Ceiling, more func(*catalog.Spec) catalog.Problems) ([]*catalog.Spec, File) {
	file := File{Name: in.Name, Specs: []Tool{}, Problems: catalog.Problems{}}
	if !catalog.IsBundle(in.Data) {
		spec, problems := catalog.Examine(in.Data, b, c, more)
		file.Problems = append(file.Problems, problems...)
		if spec == nil {
			return nil, file
		}
		return []*catalog.Spec{spec}, file
	}
	bundle, problems := catalog.ParseBundle(in.Data)
	file.Ignored = bundle.Ignored
	file.Problems = append(file.Problems, problems...)
	for _, s := range bundle.Specs {
		_, _, rejected := s.Resolve(b, c, catalog.SourceUser)
		file.Problems = append(append(file.Problems, rejected...), more(s)...)
	}
	return bundle.Specs, file
}

// Text writes one line for each problem, in a form that editors can jump to,
// followed by the ignored members of bundles. It writes nothing when there are
// neither.
func (r Report) Text(w io.Writer) error {
	for _, file := range r.Files {
		for _, p := range file.Problems {
			if _, err := fmt.Fprintf(w, "%s:%s\n", file.Name, p); err != nil {
				return err
			}
		}
		for _, pointer := range file.Ignored {
			if _, err := fmt.Fprintf(w, "%s: %s means nothing here and is ignored\n", file.Name, pointer); err != nil {
				return err
			}
		}
	}
	return nil
}

// JSON writes one object.
func (r Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r)
}

// SARIF writes one run; version is the program's.
func (r Report) SARIF(w io.Writer, version string) error {
	var rules []sarif.Rule
	for _, rule := range append(catalog.Rules(), lint.Rules()...) {
		rules = append(rules, sarif.Rule{ID: rule.ID, Summary: rule.Summary, Level: level(rule.Warning)})
	}
	var results []sarif.Result
	for _, file := range r.Files {
		for _, p := range file.Problems {
			results = append(results, sarif.Result{
				RuleID: p.Rule, Level: level(p.Warning), Message: p.Message,
				File: file.Name, Line: p.Line, Column: p.Column, Pointer: p.Pointer,
			})
		}
	}
	return sarif.Write(w, version, rules, results)
}

func level(warning bool) sarif.Level {
	if warning {
		return sarif.Warning
	}
	return sarif.Error
}
