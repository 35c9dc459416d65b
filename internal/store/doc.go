// Package store is the SQL of every domain, for SQLite and PostgreSQL. Each domain
// package declares the Store it needs, and this package has one type for each:
// Account implements account.Store, Products catalog.Store, and so on. A file is
// named after the domain whose SQL it holds. The schema is in migrations/.
//
// The SQL is written once, in the subset that both engines accept: placeholders
// ($1) numbered in order, ON CONFLICT, RETURNING, JSON as text, and times as Unix
// milliseconds, which leaves no question of time zone or precision. Opening,
// transactions, row locks and driver errors belong to package database.
//
// A store makes no decisions; rules belong to the domains. Its tests cover, on both
// engines, every promise that a domain's Store interface makes.
package store
