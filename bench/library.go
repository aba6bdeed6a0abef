package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/glovebox-run/glovebox/catalog"
	"github.com/glovebox-run/glovebox/catalog/tools"
	"github.com/glovebox-run/glovebox/host"
	"github.com/glovebox-run/glovebox/jsengine"
)

// libraryTool is one of the many tools of a library, and arguments that it answers.
type libraryTool struct {
	spec      *catalog.Spec
	arguments []byte
}

// manyTools makes n different specs from the bundled ones that only compute: each with
// another name and another text of its code, so that no two share anything.
func manyTools(n int) ([]libraryTool, error) {
	bundled, err := tools.Specs()
	if err != nil {
		return nil, err
	}
	var computing []*catalog.Spec
	for _, s := range bundled {
		_, safety, problems := s.Resolve(catalog.DefaultBaseline(), catalog.NoCeiling(), catalog.SourceUser)
		if problems.Err() == nil && safety.Caps() == "none" && s.HumanInTheLoop().Mode != catalog.ApprovalRequired {
			computing = append(computing, s)
		}
	}
	made := make([]libraryTool, n)
	for i := range made {
		origin := computing[i%len(computing)]
		var document map[string]any
		if err := json.Unmarshal(origin.Raw(), &document); err != nil {
			return nil, err
		}
		delete(document, "toolId")
		document["draft"] = false
		document["name"] = fmt.Sprintf("%s_%d", origin.Name(), i)
		document["code"] = fmt.Sprintf("// number %d\n%s", i, origin.Code())
		text, err := json.MarshalIndent(document, "", "  ")
		if err != nil {
			return nil, err
		}
		spec, problems := catalog.Parse(text)
		if err := problems.Err(); err != nil {
			return nil, err
		}
		arguments, problems := spec.TestArguments()
		if err := problems.Err(); err != nil {
			return nil, err
		}
		made[i] = libraryTool{spec, arguments}
	}
	return made, nil
}

// measureLibrary is what many tools cost: their images by themselves, and a server
// that has them all.
func measureLibrary(o options, r *report) error {
	many, err := manyTools(o.tools)
	if err != nil {
		return err
	}
	if err := measureImages(r, many); err != nil {
		return err
	}
	if o.glovebox == "" {
		return nil
	}
	return measureServed(o, r, many)
}

// measureImages builds and keeps the image of each tool.
func measureImages(r *report, many []libraryTool) error {
	grants, err := host.Mint(catalog.Posture{}, host.World{Budget: host.Budget{Calls: 1 << 20, Bytes: 1 << 30, Time: time.Hour}})
	if err != nil {
		return err
	}
	defer grants.Close()
	operations := grants.Table().Operations()
	config := engineConfig(1)
	config.Operations = operations // as package runtime does
	engine, err := jsengine.Open(context.Background(), config)
	if err != nil {
		return err
	}
	defer engine.Close()
	build := func(t libraryTool) (*jsengine.Image, error) {
		return engine.Image(context.Background(), jsengine.Program{File: t.spec.Name() + ".js", Body: t.spec.Code(), Names: t.spec.BoundNames(), Operations: operations})
	}
	if _, err := build(many[0]); err != nil { // the pool's instance, and Go's heap
		return err
	}
	before, err := privateMemory()
	if err != nil {
		return err
	}
	images := make([]*jsengine.Image, len(many))
	var took sample
	processor := processorTime()
	for n, t := range many {
		began := time.Now()
		if images[n], err = build(t); err != nil {
			return fmt.Errorf("%s: %w", t.spec.Name(), err)
		}
		took = append(took, time.Since(began))
	}
	processor = processorTime() - processor
	after, err := privateMemory()
	if err != nil {
		return err
	}
	each := float64(after-before) / float64(len(many)) / 1024
	// One call of each: an image that is not used any more would not be in memory.
	for n, t := range many {
		if out := images[n].Call(context.Background(), jsengine.Call{Arguments: t.arguments, Caller: grants.Table()}); out.Failure != nil {
			return fmt.Errorf("%s: %w", t.spec.Name(), out.Failure)
		}
	}
	cost := processor / time.Duration(len(many))
	r.Sections = append(r.Sections, section{
		Title: "Images of different tools, ms", Columns: []string{"tools", "p50", "p95", "p99", "processor time each", "private KiB each"},
		Rows: [][]string{{fmt.Sprint(len(many)), millis(took.percentile(50)), millis(took.percentile(95)), millis(took.percentile(99)), millis(cost), fmt.Sprintf("%.0f", each)}},
		Note: "an image is built at the first call of a tool; the tools are the bundled ones that only compute, each several times with another text",
	})
	r.bar("processor time to build an image", cost.Seconds()*1000, 3, " ms")
	r.bar("private memory of an image", each, 150, " KiB")
	return nil
}
