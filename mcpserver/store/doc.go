// Package store keeps what a server must not forget: JetStream, embedded or of a
// cluster, behind what is used of it. It is the only importer of NATS.
//
//	Store      Open has the files of one process, Connect talks to a cluster
//	Bucket     values by key, changed by compare-and-set, with history and watch
//	Stream     records in the order of their arrival
//	Publisher  sends records to a stream, without anybody waiting for it
//	Error      what went wrong, with a code
//
// What is acknowledged is on the disk. Every operation ends within a few seconds,
// or earlier with its context.
package store
