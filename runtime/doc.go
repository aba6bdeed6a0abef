// Package runtime is the join: spec, clearance, grants and image in; a result
// or one kind of failure out.
package runtime
