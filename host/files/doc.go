// Package files is safety.fs: directories cut into what may be read, what may be
// written and what may be destroyed.
//
// [Open] makes the capabilities of one call out of a [Workspace], the caller's
// own directory, and the [ReadRoot]s that an operator lends. A [Reader] has no
// method that changes a file, a [Writer] none that returns what it read, and
// moving and deleting is a third type, [Destroyer].
//
// Every access goes through os.Root, so it stays inside whatever is renamed or linked
// meanwhile. The checks before it (tree.go, paths.go) explain what was refused.
package files
