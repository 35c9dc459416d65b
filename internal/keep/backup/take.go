package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"stoa/internal/data/blob"
	"stoa/internal/data/database"
	"stoa/internal/keep/rewrap"
	"stoa/internal/store"
	"stoa/internal/trust/masterkey"
	"stoa/internal/trust/seal"
)

// Source is a stoa to back up. It may be running.
type Source struct {
	DB *database.DB
	// DataDir is the data folder, Folders are its folders that belong to the backup.
	DataDir string
	Folders []string
	// Storage has the files, and DataDir is a cache of it; nil if they are in DataDir. Flat are
	// those of Folders whose files are named by their hash.
	Storage blob.Store
	Flat    []string
	// MasterKeys are the master keys. Only encrypted archives contain those of the database.
	// It may be nil.
	MasterKeys *seal.Keys

	Version string // of this program
	Now     func() time.Time
}

// Take writes a backup to w: one snapshot of the database and the files that belong to it, while
// other processes write to both. It returns what the backup contains. A backup that fails leaves an
// incomplete archive in w, which Restore refuses.
func (s Source) Take(ctx context.Context, w io.Writer, lock Lock) (m Manifest, err error) {
	schema, err := store.SchemaOf(ctx, s.DB)
	if err != nil {
		return m, err
	}
	if schema.Version > schema.Known {
		return m, fmt.Errorf("%w: back up with the stoa that serves this database", store.ErrSchemaNew)
	}
	err = s.DB.Conn().InSnapshot(ctx, func(conn database.Conn) error {
		out, err := newWriter(w, lock, s.Now())
		if err != nil {
			return err
		}
		header, err := s.header(ctx, conn, schema.Version)
		if err != nil {
			return errors.Join(err, out.close())
		}
		t := taking{source: s, out: out, conn: conn, header: header}
		err = t.all(ctx, lock.On())
		m = t.manifest
		return errors.Join(err, out.close())
	})
	if err != nil {
		return Manifest{}, fmt.Errorf("back up: %w", err)
	}
	return m, nil
}

// header reads the first rows of the snapshot, which fixes its time.
func (s Source) header(ctx context.Context, conn database.Conn, schema int64) (h Header, err error) {
	h = Header{
		Summed: true,
		Format: formatVersion, Stoa: s.Version, Schema: schema, Engine: s.DB.Engine(),
		CreatedAt: s.Now().UTC().Truncate(time.Millisecond),
	}
	settings := store.Settings{Conn: conn}
	if h.PlatformID, _, err = settings.Find(ctx, store.SettingPlatformID); err != nil {
		return h, err
	}
	if h.KeyCheck, _, err = settings.Find(ctx, store.SettingMasterKeyCheck); err != nil {
		return h, err
	}
	if h.OldKeyCheck, err = rewrap.OldKeyCheck(ctx, conn); err != nil {
		return h, err
	}
	tables, err := conn.Tables(ctx)
	h.Tables = slices.DeleteFunc(tables, func(t database.Table) bool { return slices.Contains(notBackedUp, t.Name) })
	return h, err
}

// taking is a backup that is being written.
type taking struct {
	source   Source
	out      *writer
	conn     database.Conn
	header   Header
	manifest Manifest
}

func (t *taking) all(ctx context.Context, encrypted bool) error {
	if err := t.out.document(headerEntry, t.header); err != nil {
		return err
	}
	if text := t.masterKeys(); encrypted && text != "" {
		if err := t.out.put(keyEntry, []byte(text)); err != nil {
			return err
		}
	}
	// Files first: files that the snapshot refers to are removed soon after the database no longer
	// refers to them.
	if err := t.files(ctx); err != nil {
		return err
	}
	t.manifest.Tables = make(map[string]TableSum)
	for _, table := range t.header.Tables {
		if err := t.rows(ctx, table); err != nil {
			return err
		}
	}
	var err error
	if t.manifest.Sequences, err = t.conn.Sequences(ctx); err != nil {
		return err
	}
	return t.out.document(manifestEntry, t.manifest)
}

// masterKeys returns the keys of the database in hexadecimal digits, one per line: the one that
// seals and, during a rewrap, the old one.
func (t *taking) masterKeys() string {
	if t.source.MasterKeys == nil {
		return ""
	}
	known := t.source.MasterKeys.Known()
	keys := []string{known[0].Reveal()}
	if sealing := masterkey.Prover(known, t.header.KeyCheck); sealing != nil {
		keys[0] = sealing.Reveal()
	}
	if old := masterkey.Prover(known, t.header.OldKeyCheck); old != nil {
		keys = append(keys, old.Reveal())
	}
	return strings.Join(keys, "\n")
}

// files writes the files of the data folder, and records files that the database refers to but that
// are missing.
func (t *taking) files(ctx context.Context) error {
	if t.source.Storage != nil {
		return t.objects(ctx)
	}
	root, err := os.OpenRoot(t.source.DataDir)
	if err != nil {
		return err
	}
	defer root.Close()
	seen := make(map[string]bool)
	for _, folder := range t.source.Folders {
		err := fs.WalkDir(root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // removed in the meantime, or a folder that was never needed
			}
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
			}
			if strings.HasPrefix(d.Name(), ".tmp-") { // files that are being written
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if !d.Type().IsRegular() {
				return nil
			}
			err = t.file(root, name)
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			for at := name; err == nil && at != "." && !seen[at]; at = path.Dir(at) {
				seen[at] = true
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	wanted, err := store.PackageFiles(ctx, t.conn)
	for _, f := range wanted {
		if !seen[f.Path] && !seen[f.Archive()] { // a package restored from object storage is unpacked on first use
			t.manifest.Missing = append(t.manifest.Missing, f.Path)
		}
	}
	return err
}

// file writes a file. Files never change, so its size is known in advance.
func (t *taking) file(root *os.Root, name string) error {
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := t.out.begin(filesFolder+name, info.Size(), info.Mode(), info.ModTime()); err != nil {
		return err
	}
	h := sha256.New()
	if _, err := io.CopyN(io.MultiWriter(t.out.tar, h), f, info.Size()); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	t.manifest.Files = append(t.manifest.Files,
		File{Path: name, Size: info.Size(), SHA256: hex.EncodeToString(h.Sum(nil))})
	return nil
}

// rows writes the rows of a table.
func (t *taking) rows(ctx context.Context, table database.Table) error {
	var (
		total sum
		chunk []byte
		n     int
	)
	flush := func() error {
		if len(chunk) == 0 {
			return nil
		}
		n++
		err := t.out.put(fmt.Sprintf("%s%s/%08d", tablesFolder, table.Name, n), chunk)
		chunk = chunk[:0]
		return err
	}
	err := t.conn.EachRow(ctx, table, func(values []any) (err error) {
		begin := len(chunk)
		if chunk, err = appendRow(chunk, values); err != nil {
			return err
		}
		total.add(chunk[begin:])
		if len(chunk) < chunkSize {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	t.manifest.Tables[table.Name] = total.table()
	return flush()
}
