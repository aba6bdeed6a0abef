// Package egress keeps secrets out of what leaves the process: results, errors,
// logs and the record.
//
// There are two engines. [Masker] replaces values that are known to be secret,
// because the process itself gave them out, in whatever form they are written;
// [Collect] finds which those are. [Sanitiser] finds what looks like a secret and
// puts a placeholder in its place; [Engine] is its table of rules made ready,
// [Policy] what to do about a find, [Session] what makes equal values get equal
// placeholders. A session takes a masker along, so that one call does both.
//
// [Sanitiser.Message] cleans objects of the Model Context Protocol,
// [Sanitiser.Bytes] any text or JSON, [PublicFailure] says what a model may know
// of a failure. Package projection drops what an output schema does not declare.
//
// How a text is read, outermost first:
//
//	json.go      JSON: member names and columns are context for their values
//	window.go    long texts, in windows; stream.go between a reader and a writer
//	text.go      prose, and the layers in which a secret can be hidden in it
//	breaks.go    ... tokens in parts: lines, literals, markup
//	decode.go    ... two codes: base64, base32, hexadecimal, gzip
//	shadow.go    ... escapes and characters nobody sees
//	engine.go    strings that begin something, found in one pass
//	  pattern/   ... tokens around them, without backtracking
//	  assign.go  ... names, link.go to their values, phrases.go in forty languages
//	  table.go   ... columns, and htmltable.go those of HTML
//	  detect.go  ... URIs, headers, key blocks; cookies.go, commands.go, kubernetes.go
//	value.go     whether a value is a secret or stands in for one; look.go whether
//	             characters are a word, chosen.go whether a word is a password
//
// A find replaces the bytes of the secret and nothing else: what stands between
// the parts of a broken one are its holes, and they stay.
//
// The package is pure and linear: it reads no environment and no clock, and no
// input makes it slower per byte than another but for a bounded factor.
package egress
