// Package shadow finds tools that stand in each other's way: the same or nearly
// the same alias twice, a description that tells the model to use another
// server's tool or names another server, a description copied from another
// server's tool, and a tool that passes for another server's.
//
// Start with [Check]. It compares declared names and texts only; what a single
// text tries to make a model do is the business of risk/poison.
package shadow
