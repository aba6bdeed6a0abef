// Package process runs one server of somebody else as a child process that is spoken to over its
// standard input and output, and ends it with everything it has started.
//
// Between the gateway and the server stands a supervisor: the gateway's own program, executed
// again under another name. [Main] is its entry and must be the first call of main; what it
// returns to the gateway is the only thing that can start processes. The parts, in the order
// in which they act:
//
//   - [Supervisor.Start], in the gateway: checks the [Config], makes pipes, a temporary folder and, where the kernel allows them, namespaces
//   - supervise.go, in the supervisor: shows the server its part of the file system, starts it, reaps every orphan, ends it
//   - idle_linux.go: what a supervisor is in between, a program of 300 bytes
//   - launch.go, in the process that becomes the server: limits, Landlock, privileges, then exec
//
// The supervisor holds one end of a pipe to the gateway. However the gateway ends, kill -9
// included, that pipe closes and the supervisor kills every process below it. Where it is
// the first process of a PID namespace, the kernel does so even if the supervisor is killed;
// where it is not, a guard does, a supervisor of the supervisor (guard_linux.go).
//
// [Sandbox] says what the server may reach. Every promise is a [Measure] of
// [Process.Measures], with what keeps it or why it is not kept; a Config with Require refuses
// to start a server whose sandbox is not kept whole.
//
// The package knows nothing of MCP, restarts nothing and has no shell: a command is a program
// and its arguments.
package process
