// Package database opens a SQLite or PostgreSQL database and runs SQL on it. It owns the connection
// pools, transactions and row locks, the migration runner, and what every query needs: conditions,
// pages, rows, times and errors.
//
// It knows no table and no domain; the SQL is in package store. The differences between the engines
// at run time are in sqlite.go, postgres.go and the two load files, and nowhere else.
package database
