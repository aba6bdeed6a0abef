// Package signin gets access to other people's servers as an OAuth client.
//
//   - [Client] is one server's: its access token, renewed before it expires
//   - [Client.Transport] adds the token to requests, and to nothing that goes elsewhere
//   - [Client.Login] is the way through a person's browser: it returns the address to open, and
//     [Login.Wait] waits for the browser to come back
//   - [Vault] keeps tokens in a bucket of the store, sealed with the [Keys] of the operator
//
// Finding the authorization server, its metadata, client registration and PKCE are the MCP
// SDK's and x/oauth2's. What is here is what they leave to their caller: that a token
// belongs to one server, resource and issuer; that it is renewed once, whoever asks, also in a
// cluster; and that a rotated refresh token is on disk before anything depends on it.
//
// Everything is fetched through host/netguard. Nothing of what a server or an issuer says is
// repeated in an error, but for codes and names that are checked first. Keys in headers are not
// this package's business.
package signin
