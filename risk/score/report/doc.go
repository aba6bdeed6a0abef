// Package report writes scored servers for people and programs.
//
//	Text, Markdown, HTML  for people; Badge is a picture for a page
//	JSON                  everything, in the form of Schema
//	SARIF, JUnit          for code hosts and build servers
//	Comparison            two scans of one server, as text
//
// A report quotes the server, so every text is hostile: each is one line with its
// invisible characters spelled out, and escaped by what writes the format. The HTML
// is one file that loads nothing and runs nothing.
package report
