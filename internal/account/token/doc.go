// Package token writes and reads the JSON Web Tokens of CONTRACT 2 and 7.
//
// The platform's own tokens are EdDSA (Ed25519) and nothing else, name their key
// (kid) and their kind (typ). A token of one kind is refused where another is
// due. Service JWTs come from outside, under keys of their own, and are read by
// Service.
//
// It knows no database and no users: which keys there are is the caller's
// business (keyring.Ring), and so is whether a session is still alive. Errors of
// this package never contain a token or a part of one.
package token
