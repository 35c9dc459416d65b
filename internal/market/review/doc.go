// Package review owns what buyers say about products: who may review, how a product's rating follows
// from its reviews, and how administrators hide them.
//
// The database is reached through Store, which package store implements. A product's rating changes
// in the transaction of the review.
package review
