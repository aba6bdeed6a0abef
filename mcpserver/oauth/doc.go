// Package oauth makes a server the resource server of an OAuth authorization
// server: it says who a bearer token stands for and what it may do.
//
//	Config     what the operator says about the authorization server
//	Guard      Verify answers for one token, by its signature (jwt.go, keys.go) or
//	           by asking the issuer (introspect.go)
//	Grant      who, and with which scopes
//	Rule       which scopes a tool wants
//	Challenge  how a refusal reads on the wire (RFC 6750, 9728), and the metadata
//	           by which clients find the issuer
//
// The issuer is the operator's choice and is trusted to say who its users are. The
// network between is not: answers are bounded in size and time, come over TLS
// (plain HTTP only on loopback) and are not redirected to other hosts. Nothing in a
// token says where a key is fetched from.
package oauth
