package main

import (
	"errors"
	"fmt"
)

// The exit codes are part of the command line's contract; scripts branch on
// them.
const (
	exitGood       = 0 // done, and the answer is good
	exitNo         = 1 // done, and the answer is "no"
	exitUsage      = 2 // could not start: usage, unreadable or unparsable input
	exitIncomplete = 3 // an operational failure on the way
	exitBug        = 4 // our own bug
)

// exitError carries the exit code of a command that failed. A nil cause prints
// nothing: the command has already printed its message.
type exitError struct {
	code  int
	cause error
}

func (e *exitError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.cause.Error()
}

func (e *exitError) Unwrap() error { return e.cause }

// exitWith ends a command with a code and a message on stderr; a nil cause
// prints no message.
func exitWith(code int, cause error) error { return &exitError{code: code, cause: cause} }

// exitCode returns the code that err ends the process with. An error without a
// code comes from flag parsing, which is a usage error.
func exitCode(err error) int {
	var e *exitError
	switch {
	case err == nil:
		return exitGood
	case errors.As(err, &e):
		return e.code
	}
	return exitUsage
}
