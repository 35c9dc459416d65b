// Package entitlement owns the licenses of packages that this stoa installed from markets of other stoas:
// it takes a seat and leases of it, asks the market whether the license still holds, and says what follows
// for the package. Package operation buys and installs, package remote knows the markets, and package
// plugin stops and starts what runs.
//
// Every rule here follows from one: an error never changes anything. A package stops when its market
// signed that the license does not hold, or when the last lease is over, grace included; a market that
// is away, or an answer that it did not sign, is no reason.
//
// The market is asked by the license client that stoa gives to everybody (sdk/go/license).
package entitlement
