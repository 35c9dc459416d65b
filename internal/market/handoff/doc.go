// Package handoff sells licenses to other stoas, on the side of the market: another stoa says what it wants to buy, a
// browser pays for it here, and the other stoa fetches the license key. The key never passes through the browser.
//
// A handoff is claimed with a secret of which only the hash is here. It holds no key either: that is read from the
// license when it is claimed. What an order has to do with a handoff is in package order, which decides whether one may
// be placed; the other side is package operation.
package handoff
