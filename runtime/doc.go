// Package runtime is the join: a spec, a clearance and what the operator lends
// go in; a result or one kind of failure comes out, and one audit record is
// written either way.
//
//	Runtime    the engine and the operator's policy; one a process
//	Tool       a spec with the posture it resolved to, its level and its image
//	Invocation what is asked of a tool, Result what came of it
//	Failure    the one way in which an invocation does not end well
//
// It does not decide whether a call may run, which is risk's business, nor how a
// request arrived, which is mcpserver's. Package library finds specs on disk,
// package audit keeps the record.
package runtime
