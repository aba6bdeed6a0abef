// Package egress keeps secrets out of what leaves the process: results, errors,
// logs and the record.
//
// [Masker] replaces values that are known to be secret, in whatever form they
// are written. [Collect] finds which values those are. It decides nothing about
// where a text goes and reads no environment: the caller passes both in.
//
// The package is pure and linear: no input makes it slower per byte than another.
package egress
