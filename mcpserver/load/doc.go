// Package load measures a deployment under a load that does not wait for it: calls begin at
// moments that were drawn before, and the time of a call counts from that moment, so that a
// server that holds up its clients does not hide the calls they would have made meanwhile.
//
// It speaks bare HTTP instead of using the SDK: the generator must need much less processor
// time than what it measures, and says when it did not.
package load
