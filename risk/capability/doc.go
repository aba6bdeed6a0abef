// Package capability reads from the definition of a tool what it can do: which
// classes of deeds its name, title, description and parameters speak of
// ([Class], with a table of [Rows]), what its arguments are for ([Role]), and
// which words at which place say so ([Evidence]). [Of] reads a [Definition],
// [Parse] takes one from the wire. From the classes follow guesses that an
// operator may overrule: where the consequences go ([Reading.Sink]), what an
// answer may hold ([Reading.Source]) and whether a call can be taken back
// ([Reading.Reversible]).
//
// A reading is a set that only grows. Every rule needs verbs and nouns that were
// met in one sentence, one name, or the names of parameters, and whether a word
// counts depends on words before it in the same sentence alone. So text that is
// appended, sentences that are put in front, further parameters and further
// actions add evidence and take none away. A negation is believed ("does not
// delete"), because it stands before its verb; a promise ("read-only") is not
// evidence of anything. It only keeps a statement that it precedes ("a read-only
// SQL query") from counting as one that can do everything.
//
// What a verb is, and not a noun of the same letters, is decided by the place
// where it stands: "post", "order" and "update" count at the start of a sentence,
// after "can" or "to", and in a row of verbs, but not after "the" or in a name that
// begins with "get". English has most words by far; verbs and nouns of 15 other
// languages are listed, and scripts without spaces are cut along the list.
// Parameter descriptions are noun phrases and are read more carefully: there,
// only "to" and the passive introduce a verb.
//
// The package does not look for attacks: a definition that lies about its tool is
// read as it stands (risk/poison). It does not know the annotations of a tool and
// gives no level: that is risk/mcp.
//
// Reading takes time linear in the definition. On two shared cores BenchmarkOf
// reads descriptions at 10 to 26 MB/s and schemas at 15 to 19 MB/s, and no body that
// it knows at less than 1 MB/s.
package capability
