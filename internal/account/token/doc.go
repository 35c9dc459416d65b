// Package token writes and reads the JSON Web Tokens of contract 2.4 and 7.1.
//
// The platform's own tokens are always EdDSA (Ed25519) and name their key (kid) and
// their kind (typ). Access tokens of somebody who acts for the user have a typ of their own. A token of one kind is
// refused where another is expected. Service JWTs come from outside, under keys of their own, and are read by Service.
//
// It does not know the database or users. Which keys exist is the caller's business
// (keyring.Ring), and so is whether a session is still alive. Errors of this package
// never contain a token or a part of one.
package token
