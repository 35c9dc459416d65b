// Package origin makes a stoa a market: other stoas install from it what its products carry. It
// owns the market's keys and the TUF metadata that says which packages there are (contract 9.1,
// ADR 0041).
//
// Files outside of the database hold the root keys; who has them decides which keys sign the rest.
// Those are a keyring's, under KeyPurpose. Service.Sync compares what the shop offers with what is
// signed, and signs what differs. It is called after each change and again by Tend, so that what a
// crash left unsigned is signed soon.
//
// Names, lifetimes and sizes are package terms's. Which packages there are is package release's.
package origin
