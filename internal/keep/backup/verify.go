package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"stoa/internal/data/database"
)

// scratchPrefix begins the name of a folder in which a backup is verified.
const scratchPrefix = ".verify-"

// Verify restores the archive in r into a folder below scratch, which it removes afterwards, and
// compares every restored row and file with the manifest. The scratch database is SQLite, whichever
// engine the archive came from.
func (t Target) Verify(ctx context.Context, r io.Reader, key Key, scratch string) (done Restored, err error) {
	dir, err := os.MkdirTemp(scratch, scratchPrefix)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	t.DataDir = filepath.Join(dir, "data")
	t.DatabaseURL = filepath.Join(t.DataDir, "stoa.db")

	archive, err := openArchive(r, key)
	if err != nil {
		return done, err
	}
	defer archive.close()
	done.Header, done.Encrypted = archive.header, archive.encrypted
	defer func() { err = archive.explain(err) }() // before it is closed
	if err := t.fits(archive.header); err != nil {
		return done, err
	}
	if archive.entry != nil && archive.entry.Name == keyEntry {
		text, err := archive.content(1 << 10)
		if err != nil {
			return done, err
		}
		t.MasterKey, t.NextMasterKey = "", ""
		if _, err := t.masterKeys(archive.header, string(text)); err != nil {
			return done, err
		}
	}
	staged, err := t.stage(nil)
	if err != nil {
		return done, err
	}
	files, err := staged.files(ctx, archive, t.Folders)
	if err = errors.Join(err, staged.closeRoot()); err != nil {
		return done, err
	}
	db, err := database.Open(t.DatabaseURL)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// Compare before migrations of this program change the rows.
	done.Manifest, err = t.load(ctx, db, archive, files, func() error { return nil })
	if err != nil {
		return done, err
	}
	sums, err := sumTables(ctx, db, archive.header.Tables)
	if err != nil {
		return done, err
	}
	unpacked, err := sumFiles(staged.dir, files)
	if err != nil {
		return done, err
	}
	return done, errors.Join(compareTables(done.Manifest.Tables, sums), compareFiles(done.Manifest.Files, unpacked))
}

// sumTables reads the rows of tables.
func sumTables(ctx context.Context, db *database.DB, tables []database.Table) (map[string]TableSum, error) {
	sums := make(map[string]TableSum)
	var row []byte
	for _, t := range tables {
		var s sum
		err := db.Conn().EachRow(ctx, t, func(values []any) (err error) {
			row, err = appendRow(row[:0], values)
			s.add(row)
			return err
		})
		if err != nil {
			return nil, err
		}
		sums[t.Name] = s.table()
	}
	return sums, nil
}

// sumFiles reads the files below dir again.
func sumFiles(dir string, files []File) ([]File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var list []File
	for _, want := range files {
		f, err := root.Open(want.Path)
		if err != nil {
			return nil, err
		}
		h := sha256.New()
		size, err := io.Copy(h, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		list = append(list, File{Path: want.Path, Size: size, SHA256: hex.EncodeToString(h.Sum(nil))})
	}
	return list, nil
}
