// Package breached knows passwords that many people use or that leaked, so that attackers try them
// first: a list in the binary, or a filter file that the operator builds of a list of their own.
//
// A list is a set of binary fuse filters over the first 64 bits of SHA-1 hashes: it holds no password
// and no hash, has every password it was built of, and one in 65,536 others, too (one in 32,768 of those
// that are looked up twice, because case makes no difference). What follows from that, package account
// decides.
package breached
