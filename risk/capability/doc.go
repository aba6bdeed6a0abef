// Package capability infers from a tool's definition what the tool can do: the
// classes of actions that its name, title, description and parameters mention
// ([Class], with a table of [Rows]), the roles of its arguments ([Role]), and the
// words that are the evidence, with their places ([Evidence]). [Of] reads a
// [Definition], [Parse] decodes one from the wire. The classes lead to guesses that
// an operator may override: where the consequences go ([Reading.Sink]), what an
// answer may hold ([Reading.Source]) and whether a call can be undone
// ([Reading.Reversible]).
//
// A reading is a set that only grows. Every rule needs verbs and nouns from one
// sentence, one name, or the names of parameters, and whether a word counts depends
// only on earlier words in the same sentence. So appended text, sentences put in
// front, further parameters and further actions add evidence and never remove any.
// A negation counts ("does not delete"), because it precedes its verb; a promise
// ("read-only") is not evidence of anything. It only prevents a statement that
// follows it ("a read-only SQL query") from counting as one that can do everything.
//
// The position of a word decides whether it is a verb or a noun: "post", "order" and
// "update" count at the start of a sentence, after "can" or "to", and in a row of
// verbs, but not after "the" or in a name that begins with "get". Most words in the
// lexicon are English; it lists verbs and nouns of 15 other languages, and splits
// scripts without spaces by these words.
// Parameter descriptions are noun phrases and are read more carefully: there,
// only "to" and the passive introduce a verb.
//
// The package does not look for attacks: it takes a definition that lies about its
// tool at face value (risk/poison looks for attacks). It does not use a tool's
// annotations and assigns no level: risk/mcp does.
//
// Reading takes time linear in the definition. On two shared cores BenchmarkOf
// reads descriptions at 10 to 26 MB/s and schemas at 15 to 19 MB/s, and no body that
// it knows at less than 1 MB/s.
package capability
