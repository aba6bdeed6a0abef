// Package runtime runs Safe Tool Specs in the sandbox. A Go program that embeds
// Glovebox starts here.
//
// # Open, load, decide, call
//
// One [Runtime] serves a whole program. [Open] compiles the sandbox, or loads it
// from the engine's CacheDir: set that, or every start costs a second.
// [Runtime.Load] reads a document and reports all its problems at once.
//
//	rt, err := runtime.Open(ctx, runtime.Config{
//		Engine:   jsengine.Config{CacheDir: dir},
//		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(),
//	})
//	tool, problems := rt.Load(document)
//
// A [Tool] knows its risk level, its posture and its hash. Nothing runs without a
// clearance, which covers one version of the tool, one sequence of argument bytes
// and a limited time. The program decides where it comes from:
//
//	decision := tool.Decide(risk.Allow, "a pure computation", arguments)
//	result := tool.Call(ctx, runtime.Invocation{
//		Arguments: arguments,
//		Clearance: decision.Clear(time.Now().Add(time.Minute)),
//	})
//
// [Tool.Call] never returns nil. The result's Failure is nil or one of a closed
// list of kinds, with a text for people and models and a private cause. Its Value
// is JSON, cleaned of secrets; [Tool.Text] is what a model reads.
//
// # Lend
//
// Invocation.World is what one caller grants one call: the network, a workspace,
// directories to read. The zero World grants nothing, and a tool whose posture asks
// for more does not run. Config.Lookup finds the secrets that static variables name,
// Limits bound what a call may use, and Audit keeps a record of each call.
//
// Config.Functions adds the program's own host calls. Each is a row of the same table
// as those of package host, with a gate, schemas and a price; see [host.Function].
//
// # Decide by policy, ask people, serve
//
// Package governed decides calls through a judge and asks people through an approver;
// a [Tool] is one of its tools. Package mcpserver publishes tools over MCP. Package
// library finds specs on disk, and package audit keeps the record.
//
// The examples of this package show each of these with its output.
package runtime
