// Package rates has the servers of a cluster keep one rate of messages for each client.
//
//	Group   the servers; each tells the others every quarter of a second what it admitted
//	Keep    the gate that is charged and told of
//
// No message waits for another server. The arithmetic, and what is promised, is in package
// admission; this package says who belongs together and who is heard.
package rates
