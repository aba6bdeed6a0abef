// Package config reads the operator's settings from one YAML file: where the file is
// found, what it may contain, and which value applies when the environment or a flag
// sets another.
//
//	Config   every setting, in groups
//	Keys     the one table of settings: name, meaning, flag, whether a change needs a restart
//	Load     flag over environment over file over default
//	Problem  one thing that is wrong, with code, line, column and a fix
//	Watch    reports every change of the file, or why it cannot be used
//
// The schema, the page in docs/, the commented example and the help texts of flags
// are generated from the table. The package only reads files: its callers give the
// settings their effect.
//
// The syntax is a subset of YAML: no tags, anchors, aliases or merge keys, one
// document, and every key once.
package config
