// Package once has something run at exactly one server of a cluster, and lets the others
// use it there.
//
//	Cluster  this server and the leases that are shared
//	Lease    one server's wish for one thing, and whether it has it
//	Carry    has the owner of a lease answer a request
//
// A lease is a value in a bucket that its owner renews. There is no clock that the servers
// share: the owner stops by its own clock, [Hold] after it began the last renewal that was
// acknowledged, and another one takes the lease [Takeover] after the last renewal that it
// saw, by its own clock, with compare-and-set. The clocks need only run about equally
// fast: two in six seconds is the margin. Each owner has a number that is larger than
// that of all owners before it.
package once
