// Package pyjson reads JSON strictly and tells what Python makes of it: whether a
// value is true, how str() spells it, how json.dumps() writes it.
//
// The published tool risk evaluator is a Python program that stringifies
// whatever type arrives, so what an odd request comes to depends on Python's
// spelling. This package is that spelling and knows nothing of requests.
//
// testdata/python.jsonl was written by Python and is what the tests compare
// with. Read [Parse] and [Value] first.
package pyjson
