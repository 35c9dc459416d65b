// Package market owns the shop: products and their pricing tiers, orders, the
// licences that purchases create, and what buyers say about products (spec A, marketplace; CONTRACT 3).
//
// It does not know about HTTP or SQL. Callers use Service; the database is
// reached through Store, Store, Store and Store, which package store
// implements, and the files that products show through Media, which package blob
// implements. User accounts belong to package account: here a buyer is only an
// id. Payment providers are in the sub-package payment.
package market
