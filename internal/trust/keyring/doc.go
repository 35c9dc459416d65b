// Package keyring owns the Ed25519 keys with which stoa signs: their stages, their
// rotation, and their withdrawal (contract 2.3).
//
// Keys of one Purpose never sign for another, so that a token cannot pass for a license
// lease, for example. A Ring holds the keys of one purpose in memory. The database is
// reached through Store, which package store implements.
//
// It does not know what is signed. See account/token for tokens, shop/license/lease
// for leases, and httpsig for signed answers.
package keyring
