// Package voice gives a second opinion on a text: a linear model over the output of
// package frame. It adds up integer weights of the features of a passage, which is
// one to three sentences. It has learned which combinations are suspicious unless
// they are the tool's purpose: a parameter and the conversation, a condition and a
// transfer, a step and silence about it.
//
// # Features
//
// Concepts and pairs of concepts, each in two kinds: part of the tool's declared
// purpose (name, parameters, first sentence) or not; triples of deed, thing and
// place it goes to; which concept follows which; the place in the document; the
// length; what stands only in quotation marks; what the document is about; and, with
// less room, hashed words, pairs of words and, beyond ASCII,
// groups of three letters. Concepts carry over to languages and wordings outside
// the training texts; words correct them where many texts agree.
//
// # Weights
//
// There are two sets, for definitions and for results, because honest texts
// differ: a mail may ask its reader to forward something, a tool may not. Each is
// one byte a feature, in sixteenths of a logit. make train-poisoning writes them
// from the texts in internal/eval/poisoning, which are all of this project. The
// arithmetic is integer, so a text has the same score on every machine.
package voice
