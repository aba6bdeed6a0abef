// Package glyph finds characters that nobody sees, or that look like others, and
// makes the [View] of a text: the text as its meaning reads, with the way back to
// the original offsets. It judges nothing; read [Reveal] first.
package glyph
