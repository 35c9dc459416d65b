// Package order owns the life of orders: the purchase, what becomes of its payment, refunds and
// cancellations, the receipt that is mailed, and the claim of orders that were placed without an
// account (spec A, CONTRACT 3; docs/adr/0006).
//
// What a payment provider is belongs to package payment, Stripe to payment/stripe. The license that
// an order creates belongs to package license. The database is reached through Store, ClaimStore and
// ReceiptStore, which package store implements.
package order
