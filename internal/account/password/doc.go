// Package password turns passwords into argon2id hashes and checks them.
//
// Hashes state their parameters (PHC string format), so these may be raised without
// touching what is stored. Hashing is memory-hard on purpose, which makes a flood of
// logins an attack on memory: a Hasher runs a few hashes at a time, lets a bounded
// number wait, and refuses the rest.
//
// An Aside has them computed in another process, behind what else there is to do.
//
// It also recognizes passwords that are easy to guess. Users, and which of the rules
// hold for them, are package account's.
package password
