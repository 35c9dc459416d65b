package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"stoa/internal/data/blob"
	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/trust/masterkey"
)

// Target is an empty place for a stoa.
type Target struct {
	// DatabaseURL is a PostgreSQL database without tables, or the path of a SQLite file that
	// does not exist.
	DatabaseURL string
	// DataDir is a folder that does not exist, or is empty except perhaps for the master key.
	DataDir string
	// Folders are the folders in the data folder that belong to backups.
	Folders []string
	// Storage receives the files, and DataDir is a cache of it; nil if they stay in DataDir. Flat
	// are those of Folders whose files are named by their hash.
	Storage blob.Store
	Flat    []string
	// MasterKey is the key that the operator set, in hexadecimal digits, and NextMasterKey the
	// second one. They may be empty.
	MasterKey, NextMasterKey string

	Version string // of this program
}

// Restored is the result of Restore.
type Restored struct {
	Header   Header
	Manifest Manifest
	// WroteKey reports whether the master key came from the archive and is in the data folder.
	WroteKey bool
	// Encrypted reports whether the archive was encrypted.
	Encrypted bool
}

// Restore restores the archive in r. It either succeeds or leaves the place as empty as before; if
// place and archive do not fit, it returns all reasons together, before it writes anything. If the
// process is killed, the data folder may contain a folder .restore-…, which the next Restore names,
// and a PostgreSQL database may contain empty tables.
func (t Target) Restore(ctx context.Context, r io.Reader, key Key) (Restored, error) {
	archive, err := openArchive(r, key)
	if err != nil {
		return Restored{}, errors.Join(err, t.isEmpty(ctx))
	}
	defer archive.close()
	done := Restored{Header: archive.header, Encrypted: archive.encrypted}
	var packedKey string
	if archive.entry != nil && archive.entry.Name == keyEntry {
		text, err := archive.content(1 << 10)
		if err != nil {
			return done, err
		}
		packedKey = string(text)
	}
	keys, err := t.masterKeys(archive.header, packedKey)
	faults := errors.Join(archive.explain(errors.Join(t.fits(archive.header), err)), t.isEmpty(ctx))
	if faults != nil {
		return done, faults
	}
	done.WroteKey = len(keys) > 0
	done.Manifest, err = t.restore(ctx, archive, keys)
	return done, archive.explain(err)
}

// fits returns an error for an archive of a newer program.
func (t Target) fits(h Header) error {
	if known := store.KnownSchema(); h.Schema > known {
		return fmt.Errorf("%w: the backup is of stoa %s with schema version %d, and this is stoa %s, which knows "+
			"version %d; restore with stoa %s", store.ErrSchemaNew, h.Stoa, h.Schema, t.Version, known, h.Stoa)
	}
	return nil
}

// isEmpty returns an error that names everything found in the place.
func (t Target) isEmpty(ctx context.Context) error {
	return errors.Join(t.folderIsEmpty(), t.databaseIsEmpty(ctx), t.storageIsEmpty(ctx))
}

// allowedBefore are names that an empty data folder may contain.
var allowedBefore = []string{masterkey.File, masterkey.NextFile, "lost+found"}

// folderIsEmpty returns an error that names what the data folder contains.
func (t Target) folderIsEmpty() error {
	entries, err := os.ReadDir(t.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var names []string
	for _, e := range entries {
		if !slices.Contains(allowedBefore, e.Name()) {
			names = append(names, e.Name())
		}
	}
	if len(names) > 0 {
		more := ""
		if n := len(names) - 10; n > 0 {
			names, more = names[:10], fmt.Sprintf(" and %d more", n)
		}
		return fmt.Errorf("the data folder %s is not empty: it has %s%s", t.DataDir, strings.Join(names, ", "), more)
	}
	return nil
}

// databaseIsEmpty returns an error if the database has tables.
func (t Target) databaseIsEmpty(ctx context.Context) (err error) {
	if !database.IsPostgres(t.DatabaseURL) {
		for _, name := range []string{t.DatabaseURL, t.DatabaseURL + "-wal", t.DatabaseURL + loadingSuffix} {
			if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
				return errors.Join(err, fmt.Errorf("there is a file %s already", name))
			}
		}
		return nil
	}
	db, err := database.Open(t.DatabaseURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	migrated, err := db.HasTable(ctx, "goose_db_version")
	if err != nil {
		return err
	}
	tables, err := db.Conn().Tables(ctx)
	if err == nil && (migrated || len(tables) > 0) {
		err = fmt.Errorf("the database is not empty: it has %d tables; restore into one that was just created", len(tables))
	}
	return err
}

// loadingSuffix ends the name of an incomplete SQLite file.
const loadingSuffix = ".restoring"

// restore fills the place, or leaves it empty.
func (t Target) restore(ctx context.Context, archive *reader, keys keyFiles) (m Manifest, err error) {
	staged, err := t.stage(keys)
	if err != nil {
		return m, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, staged.undo())
		}
	}()
	files, err := staged.files(ctx, archive, t.Folders)
	if err != nil {
		return m, err
	}
	at, finish, undo := t.DatabaseURL, func() error { return nil }, (*database.DB).DropAll
	if !database.IsPostgres(t.DatabaseURL) {
		at = t.DatabaseURL + loadingSuffix
		finish = func() error { return rename(at, t.DatabaseURL) }
		undo = func(*database.DB, context.Context) error { return removeSQLite(at) }
	}
	db, err := database.Open(at)
	if err != nil {
		return m, err
	}
	ready := func() error {
		if err := t.upload(ctx, staged, files, archive.header.PlatformID); err != nil {
			return err
		}
		return staged.place()
	}
	if m, err = t.load(ctx, db, archive, files, ready); err == nil {
		_, err = store.Migrate(ctx, db, t.Version)
	}
	if err == nil {
		err = store.MarkRestored(ctx, db)
	}
	if err != nil {
		return m, errors.Join(err, undo(db, context.WithoutCancel(ctx)), db.Close())
	}
	if err := db.Close(); err != nil {
		return m, err
	}
	return m, errors.Join(finish(), staged.removeEmpty())
}

// load creates the schema of the archive and loads the rows. It calls ready when the whole archive
// has been read and checked, before the rows are committed.
func (t Target) load(
	ctx context.Context, db *database.DB, archive *reader, files []File, ready func() error,
) (m Manifest, err error) {
	if err := store.MigrateTo(ctx, db, archive.header.Schema); err != nil {
		return m, err
	}
	err = db.Load(ctx, notBackedUp, func(to database.Loader) error {
		sums, err := loadRows(ctx, archive, to)
		if err != nil {
			return err
		}
		if m, err = archive.end(); err != nil {
			return err
		}
		if err := errors.Join(compareTables(m.Tables, sums), compareFiles(m.Files, files)); err != nil {
			return err
		}
		for table, last := range m.Sequences {
			if slices.Contains(notBackedUp, table) {
				continue
			}
			if err := to.Sequence(ctx, table, last); err != nil {
				return err
			}
		}
		return ready()
	})
	return m, err
}

// loadRows loads the tables of the archive and returns their sums.
func loadRows(ctx context.Context, archive *reader, to database.Loader) (map[string]TableSum, error) {
	sums := make(map[string]TableSum)
	for _, table := range archive.header.Tables {
		rows := tableRows{archive: archive, prefix: tablesFolder + table.Name + "/", values: make([]any, len(table.Columns))}
		err := to.Rows(ctx, table, rows.next)
		if err = errors.Join(err, rows.failed); err != nil {
			return nil, err
		}
		sums[table.Name] = rows.sum.table()
	}
	return sums, ctx.Err()
}

// tableRows reads the rows of a table.
type tableRows struct {
	archive *reader
	prefix  string // of the table's entries
	values  []any
	chunk   []byte
	sum     sum
	failed  error // COPY would return only its text
}

// next returns the next row, or nil after the last.
func (r *tableRows) next() ([]any, error) {
	row, err := r.read()
	if err != nil {
		r.failed = err
	}
	return row, err
}

func (r *tableRows) read() (row []any, err error) {
	if len(r.chunk) == 0 {
		if r.archive.entry == nil || !strings.HasPrefix(r.archive.entry.Name, r.prefix) {
			return nil, nil
		}
		if r.chunk, err = r.archive.content(maxChunk); err != nil {
			return nil, err
		}
	}
	rest, err := cutRow(r.chunk, r.values)
	if err != nil {
		return nil, err
	}
	r.sum.add(r.chunk[:len(r.chunk)-len(rest)])
	r.chunk = rest
	return r.values, nil
}
