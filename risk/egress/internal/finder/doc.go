// Package finder finds secrets in text and JSON. How a text is read, outermost first:
//
//	json.go      JSON: member names and columns are context for their values
//	window.go    long texts, in windows
//	text.go      prose, and the layers in which a secret can be hidden in it
//	breaks.go    ... tokens in parts: lines, literals, markup; package joint reads between them
//	encoded.go   ... two codes; package decode reads them
//	             ... escapes and characters nobody sees; package shadow removes them
//	engine.go    strings that begin something, found in one pass
//	             ... tokens around them, without backtracking: package pattern
//	assign.go    ... names, link.go to their values, phrases.go in forty languages
//	table.go     ... columns, and htmltable.go those of HTML
//	detect.go    ... URIs, headers, key blocks; cookies.go, commands.go, kubernetes.go
//
// Packages personal and trace find what is no credential; secretname and secretvalue say
// what a name and a value are.
package finder
