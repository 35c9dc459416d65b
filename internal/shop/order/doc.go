// Package order owns the life of orders: the purchase, its payment, refunds and cancellations, the
// receipt that is mailed, and the claim of orders that were placed without an account
// (contract 3.3 to 3.6; ADR 0006).
//
// What a discount code is worth is for package discount to say; a use is taken in the transaction that makes an
// order and given back in the one that cancels it (contract 3.16).
//
// It does not know any payment provider: package payment declares what one does, and payment/stripe is
// one. The license that an order creates belongs to package license. The database is reached through
// Store, ClaimStore and ReceiptStore, which package store implements.
package order
