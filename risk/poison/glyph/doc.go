// Package glyph finds invisible characters and characters that look like others. It
// makes the [View] of a text: the text with its disguise removed and a mapping to the
// original offsets. It does not judge the text; read [Reveal] first.
package glyph
