// Package audit records what was enforced: one line for every invocation, refused
// ones included, in an append-only file whose lines are chained by hash.
//
// A chain whose growing file is audit.jsonl consists of
//
//	audit.jsonl            the newest lines
//	audit.jsonl.<seq>      full segments, named by the first record in each
//	audit.jsonl.head       how many records there are and the last hash, keyed
//	audit.jsonl.key        the key of the head, 32 bytes, mode 0600
//	audit.jsonl.lock       taken for the time of one append, by every process
//	audit.jsonl.archived   how many records were moved away and the last hash, signed
//	audit.jsonl.<seq>.index  where the records of a file are; built again when missing
//	audit.jsonl.unproven-<n>  what a power cut left behind the chain; no part of it
//
// The chain reveals an edited, inserted, removed or reordered line. The head, which
// cannot be rewritten without the key, also reveals a truncated tail. The key's holder
// can rewrite everything; an anchor ([Options].Anchor, [Keeper], [Checkpoint]) in another
// place limits what such a rewrite can hide.
//
// Lines and head carry their format version. A program that meets a newer version
// refuses it: reading on would drop fields it does not know.
//
// The package does not mask. [Log.Append] writes its record as it is.
//
// Read [Record], [Log] and [Verify] first.
package audit
