// Package account owns access to stoa: users and their passwords, the sessions they
// are signed in with, the tokens that prove it, and the keys that sign the tokens
// (contract 2).
//
// A session is one row from sign-in to its end. Access tokens name it, and every
// request looks it up, so ending it takes effect at once on all replicas.
// The row knows which of its refresh tokens is the current one.
//
// It does not know about HTTP or SQL. Callers use Service; the database is
// reached through Store, which package store implements. How passwords
// are hashed is package password's, how tokens are written package token's.
package account
