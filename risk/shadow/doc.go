// Package shadow finds tools that conflict with each other: the same or nearly the
// same alias twice, a description that tells the model to use another server's tool
// or names another server, a description copied from another server's tool, and a
// tool that poses as another server's.
//
// Start with [Check]. It compares declared names and texts only; risk/poison scans
// single texts for instructions to the model.
package shadow
