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
// How a text is read is in internal/finder, which has packages for its parts: names of
// secrets, values that are none, codes, disguises, patterns, a walk through JSON.
//
// Only the bytes of the secret are replaced. If a secret is broken into parts, the
// text between the parts (its holes) stays.
//
// The package is pure and linear: it reads no environment and no clock, and the
// time per byte varies between inputs only by a bounded factor.
package egress
