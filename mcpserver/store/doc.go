// Package store keeps a server's durable data in JetStream, embedded or in a
// cluster, behind a small interface. It is the only importer of NATS.
//
//	Store      Open uses the files of one process, Connect a cluster
//	Bucket     values by key, changed by compare-and-set, with history and watch
//	Stream     records in order of arrival
//	Publisher  sends records to a stream without blocking the caller
//	Error      what went wrong, with a code
//
// An acknowledged write is on disk. Every operation of a cluster ends within 5 s, every
// other and every opening within 30 s, or earlier with its context.
package store
