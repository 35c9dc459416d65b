// Package password turns passwords into argon2id hashes and checks them.
//
// Hashes describe themselves (PHC string format), so parameters may rise
// without touching what is stored. Hashing is memory-hard on purpose, which
// makes a flood of logins an attack on memory: a Hasher runs a few hashes at a
// time, lets a bounded number wait, and refuses the rest.
//
// It does not know users or rules for passwords; those are package account's.
package password
