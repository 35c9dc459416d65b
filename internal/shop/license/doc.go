// Package license owns the rules of licenses (contract 3.7 to 3.13): keys, terms and renewals, seats
// and development instances, verification, leases for apps without network, and what administrators
// may do with a license.
//
// It does not know how licenses are paid for: package order creates them in the transaction of a
// purchase and says what was paid. The database is reached through Store, which package store
// implements. Package license/lease writes the tokens of leases; package httpsig signs answers.
package license
