// Package runtime runs Safe Tool Specs in the box, and is where a Go program that
// embeds Glovebox begins.
//
// # Open, load, decide, call
//
// One [Runtime] serves a whole program. [Open] compiles the sandbox, or finds it
// compiled in the engine's CacheDir: give it one, or every start costs a second.
// [Runtime.Load] reads a document and reports all its problems at once.
//
//	rt, err := runtime.Open(ctx, runtime.Config{
//		Engine:   jsengine.Config{CacheDir: dir},
//		Baseline: catalog.DefaultBaseline(), Ceiling: catalog.NoCeiling(),
//	})
//	tool, problems := rt.Load(document)
//
// A [Tool] knows its risk level, its posture and its hash. Nothing runs without a
// clearance, and a clearance is for one version of the tool, one sequence of
// argument bytes and a time. Where it comes from is the program's decision:
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
// Invocation.World is what one caller lends to one call: the network, a workspace,
// directories to read. The zero World lends nothing, and a tool whose posture asks
// for more than there is does not run. Config.Lookup finds the secrets that static
// variables name, Limits bound what a call may use, Audit keeps a record of each.
//
// Config.Functions adds host calls of the program's own. Each is a row of the same
// table as those of package host, with a gate, schemas and a price; see
// [host.Function].
//
// # Decide by policy, ask people, serve
//
// Package governed makes calls by a judge and asks people through an approver; a
// [Tool] is one of its tools. Package mcpserver publishes them over MCP. Package
// library finds specs on disk, package audit reads the record.
//
// The examples of this package show each of these with its output.
package runtime
