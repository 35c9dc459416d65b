// Package remote owns the markets of other stoas: which ones an administrator trusts, what is held of
// their signed metadata, and what state each is in. It is the side of the stoa that installs; package
// origin is the side of the stoa that sells.
//
// A market is known for ever by the fingerprint of its first root, which an administrator confirmed.
// Everything else is metadata of TUF 1.0 that chains from it: go-tuf verifies, this package decides
// what to ask for, how much to read, and what it means when something does not fit. Only that is
// believed which was verified; what was verified is kept in the database, so that a market can never
// go back behind it.
//
// A state blocks installing and updating. It never stops what runs: nothing here knows of running
// packages.
package remote
