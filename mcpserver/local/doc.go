// Package local lets the programs of one user on one machine share a server: one
// process owns a state folder, the others talk to it over a Unix socket.
//
//	Claim   become the owner, by a lock that dies with the process
//	Find    reach the owner: its status, the approvals inbox, a session
//	Join    whichever of the two is possible
//	Relay   pass the messages of a client on standard streams to the owner,
//	        and to the next owner when that one is gone
//
// The lock and the socket (mode 0600) are in the folder "run" (mode 0700) of the
// state folder. Each side asks the kernel for the user at the other end and
// disconnects unless it is the same user. The package knows only the part of MCP that
// a relay needs: which messages are requests, and how a session begins.
package local
