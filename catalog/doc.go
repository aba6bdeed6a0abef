// Package catalog holds what authors declare: the Safe Tool Spec as a document,
// its checks, the posture it resolves to and the hashes that identify it, along
// with the bundled tools and the list of known MCP servers.
//
// The package is pure: it reads bytes that its caller loaded and returns values.
// It does not know how a tool is run, how risky it is, or where specs are stored.
//
// Read [Parse] and [Spec] first, then [Spec.Resolve], which combines the author's
// request with the operator's limits into a [Posture]. [Spec.CheckArguments] and
// [Spec.ResolveStaticVariables] prepare one call, [Spec.State] says whether a tool
// may be published and [Spec.Entry] returns the part of it that goes on the wire.
package catalog
