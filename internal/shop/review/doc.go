// Package review owns product reviews: who may write them, how administrators hide them, and how a
// product's rating follows from them.
//
// The database is reached through Store, which package store implements. A review and its product's
// rating change in the same transaction.
package review
