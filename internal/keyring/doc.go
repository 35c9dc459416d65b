// Package keyring owns the Ed25519 keys with which stoa signs: where they are in
// their life, who may use them when, and how they take turns (CONTRACT 2).
//
// Keys of one Purpose never sign for another, so that a token, a license lease
// and a signed answer cannot stand in for each other, whatever they say. A Ring
// is the keys of one purpose in memory; the database is reached through Store,
// which package store implements.
//
// It does not know what is signed: tokens are package account/token's, leases
// package market/lease's, signed answers package httpsig's.
package keyring
