// Package oauth makes a server the resource server of an OAuth authorization
// server: it identifies the holder of a bearer token and what the token may do. It
// also has people sign in there.
//
//	Config     the operator's settings for the authorization server
//	Guard      Verify checks one token, by its signature (jwt.go, keys.go) or
//	           by asking the issuer (introspect.go)
//	Grant      the token holder and the scopes
//	Rule       which scopes a tool needs
//	Party      Begin and Finish sign a person in, in a browser (party.go); an Identity
//	           is who that is, with their Claims
//	Challenge  how a refusal reads on the wire (RFC 6750, 9728), and the metadata
//	           by which clients find the issuer
//
// The operator chooses the issuer, and we trust it to identify its users. We do not
// trust the network in between: answers are bounded in size and time, come over TLS
// (plain HTTP only on loopback) and are not redirected to other hosts. Nothing in a
// token decides where a key is fetched from.
package oauth
