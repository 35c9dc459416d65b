// Package idempotency lets a client repeat a request without having its effect
// twice (CONTRACT 1, Idempotency-Key). The first request with a key carries the
// operation out and its answer is kept; another with the same key and content
// gets that answer again, on whichever replica it arrives.
//
// A row in the database stands for each key. It is claimed before the operation
// begins, under a lease that is renewed while the operation runs, so that what a
// crash interrupted can be taken up by a retry as soon as the lease is over.
// The row also holds a seed, chosen once: operations derive the ids of what they
// make from it. Whoever takes up an interrupted operation so finds what was made
// already instead of making it again, and if two attempts ever run at once, it
// is the primary key of what they make that keeps them apart, not a clock.
//
// The package does not know HTTP, nor which operations there are: an answer is a
// status, headers and bytes; httpapi decides what of an operation is final.
package idempotency
