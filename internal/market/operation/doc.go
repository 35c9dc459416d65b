// Package operation owns what is bought, tried and installed from the markets of other stoas: what they offer, and the
// way from an administrator's consent to a package that runs (contract 9.6).
//
// An operation is a row of the database that one worker at a time carries on, step by step. Each step can be repeated:
// a process that is killed leaves an operation that another goes on with, without a second order, seat or trial.
//
// Which markets there are and what they sign is package remote's. Licenses are kept and checked by whoever implements
// Licenses; packages are installed by package extension/install.
package operation
