package language

import "slices"

// rules of the language layer, each in the file of its subject. An id is never
// used twice, not even after its rule is gone. See builder.grammar for how
// patterns are written.
var rules = slices.Concat(modelRules, dataRules, deedRules, toolRules, answerRules, mannerRules)
