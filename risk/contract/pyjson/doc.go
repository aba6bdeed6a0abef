// Package pyjson reads JSON strictly and reproduces how Python treats it: whether a
// value is true, how str() spells it, how json.dumps() writes it.
//
// The published tool risk evaluator is a Python program that stringifies values of
// any type, so its decision on an odd request depends on Python's spelling. This
// package implements that spelling and knows nothing of requests.
//
// The tests compare with testdata/python.jsonl, which Python wrote. Read [Parse] and
// [Value] first.
package pyjson
