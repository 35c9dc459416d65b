// Package store keeps the domains' data in SQLite or PostgreSQL.
//
// The SQL is written once, in the subset both engines accept: numbered
// placeholders ($1) in order of appearance, ON CONFLICT, RETURNING, text for
// JSON, and times as Unix milliseconds, which rules out every question of zone
// and precision. What does differ (opening, locking, reading driver errors, DDL)
// is in sqlite.go, postgres.go and migrations/, and nowhere else.
//
// Each domain package declares the Store it needs; this package has one type per
// declaration (Market implements market.Store, and so on), all sharing one DB.
package store
