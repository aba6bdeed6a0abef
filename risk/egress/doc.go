// Package egress keeps secrets out of what leaves the process: results, errors,
// logs and the record.
//
// There are two engines. [Masker] replaces known secrets, which the process itself
// gave out, in every form in which they are written; [Collect] finds these values.
// [Sanitiser] finds text that looks like a secret and replaces it with a placeholder.
// [Engine] is its compiled table of rules, [Policy] says what to do with a finding,
// and [Session] gives equal values equal placeholders. A session includes a masker,
// so that one call does both.
//
// [Sanitiser.Message] cleans objects of the Model Context Protocol and
// [Sanitiser.Bytes] any text or JSON. [PublicFailure] says what a model may learn
// about a failure. Package projection drops what an output schema does not declare.
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
// Only the bytes of the secret are replaced. If a secret is broken into parts, the
// text between the parts (its holes) stays.
//
// The package is pure and linear: it reads no environment and no clock, and the
// time per byte varies between inputs only by a bounded factor.
package egress
