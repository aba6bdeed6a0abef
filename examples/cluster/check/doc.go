// Package check holds the tests of the files beside it: the chart is linted, rendered and
// decoded, the compose file is read, and three servers of NATS and three gateways run with
// what the files say. It is a module of its own, so that users do not get Helm.
package check
