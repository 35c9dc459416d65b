// Package wire has the JSON forms of what more than one room of the API shows:
// users, products, instances that use licenses, orders, reviews and public keys.
// What only one room shows is declared there.
package wire
