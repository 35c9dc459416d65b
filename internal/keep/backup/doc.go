// Package backup writes a whole stoa into one archive, and restores a stoa from an archive: the
// rows of the database, the files of packages, themes and media, and, only in encrypted archives,
// the master key (docs/adr/0016).
//
// The archive does not depend on the database engine: a backup from SQLite can be restored into
// PostgreSQL, and the other way round.
//
// It does not know what the rows and files mean. Package database lists, reads and fills the
// tables.
package backup
