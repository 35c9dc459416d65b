// Package backup writes a whole stoa into one archive, and makes a stoa of an archive: the
// rows of the database, the files of packages, themes and media, and, only in encrypted
// archives, the master key (docs/adr/0016).
//
// The archive does not depend on the database engine: what was backed up from SQLite can
// be restored into PostgreSQL, and the other way round.
//
// It does not know what the rows and files mean. What a table is, and how to empty and fill
// it, is in package database.
package backup
