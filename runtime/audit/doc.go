// Package audit keeps the record of what was enforced: one line for every
// invocation, refused ones included, in an append-only file whose lines are
// chained by hash.
//
// A chain whose growing file is audit.jsonl consists of
//
//	audit.jsonl            the newest lines
//	audit.jsonl.<seq>      full segments, named by the first record in each
//	audit.jsonl.head       how many records there are and the last hash, keyed
//	audit.jsonl.key        the key of the head, 32 bytes, mode 0600
//	audit.jsonl.lock       taken for the time of one append, by every process
//
// The chain shows an edited, inserted, removed or reordered line; the head,
// which cannot be rewritten without the key, shows a cut tail as well. Whoever
// holds the key can rewrite everything: an anchor
// ([Options].Anchor, [Checkpoint]) in another place bounds what that can hide.
//
// Lines and head carry the version of their format. A program that meets a newer one
// refuses it, since reading on would drop what it has no field for.
//
// The package does not mask. What reaches [Log.Append] is written as it is.
//
// Read [Record], [Log] and [Verify] first.
package audit
