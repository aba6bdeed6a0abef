// Package config is what an operator decides, in one YAML file: where the file is
// found, what it may say, and what counts when the environment or a flag says
// something else.
//
//	Config   every setting, in groups
//	Keys     the one table of them: name, meaning, flag, whether a change needs a restart
//	Load     flag over environment over file over default
//	Problem  one thing that is wrong, with code, line, column and a way out
//	Watch    tells of every change of the file, or why it cannot be used
//
// The schema, the page in docs/, the commented example and the help texts of flags
// are made of the table. The package touches nothing but the files that it reads:
// what a setting does is the business of whoever uses it.
//
// The syntax is less than YAML has: no tags, anchors, aliases or merge keys, one
// document, and every key once.
package config
