// Package service is a whole server as a program runs it: specs, runtime, audit,
// approvals, telemetry and the socket for this user's other processes, put together
// from one configuration.
//
//	Open      a service from a configuration; Close releases everything
//	Apply     another configuration while it serves, as a whole or not at all
//	Listen    the endpoint over HTTP; Stdio serves standard streams
//	Event     what the operator should know; the caller prints it or acts on it
//
// [Options] provide folders, environment, resolver and dialler; the package looks for
// none of them itself, and prints nothing. Package doctor checks the same things
// without changing them.
package service
