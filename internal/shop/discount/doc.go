// Package discount owns the discount codes of the shop (contract 3.16; ADR 33): what a code is worth, where
// and when it holds, how often it may be used and by whom, and their administration.
//
// It does not know about orders: package order asks for a Quote, and takes and gives back uses in its own
// transactions, through Uses. The database is reached through Store, which package store implements.
package discount
