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
	"path/filepath"
	"slices"
	"strings"
)

// staging is a folder in the data folder that collects the files until all are there.
type staging struct {
	dataDir string
	made    bool // the data folder did not exist before
	dir     string
	root    *os.Root
	placed  []string // names moved from here to the data folder

	uploaded []func() error // remove what was uploaded from object storage
}

// stage makes the data folder and a staging folder in it, with master keys.
func (t Target) stage(keys keyFiles) (*staging, error) {
	s := &staging{dataDir: t.DataDir}
	_, err := os.Stat(t.DataDir)
	s.made = errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(t.DataDir, 0o700); err != nil {
		return nil, err
	}
	if s.dir, err = os.MkdirTemp(t.DataDir, ".restore-"); err != nil {
		return nil, err
	}
	if s.root, err = os.OpenRoot(s.dir); err != nil {
		return nil, errors.Join(err, s.undo())
	}
	for name, text := range keys {
		if err := s.root.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, errors.Join(err, s.undo())
		}
	}
	return s, nil
}

// files unpacks the files of the archive, all of which are in folders, and returns them.
func (s *staging) files(ctx context.Context, archive *reader, folders []string) (list []File, err error) {
	for archive.entry != nil && strings.HasPrefix(archive.entry.Name, filesFolder) {
		name := strings.TrimPrefix(archive.entry.Name, filesFolder)
		folder, _, nested := strings.Cut(name, "/")
		if !nested || !slices.Contains(folders, folder) {
			return nil, damaged("the file %q is in no folder of stoa", name)
		}
		f, err := s.file(archive, name)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
		if err := errors.Join(archive.next(), ctx.Err()); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// file unpacks a file with its mode and its time.
func (s *staging) file(archive *reader, name string) (File, error) {
	folder, _, _ := strings.Cut(name, "/")
	err := s.root.MkdirAll(folder, 0o700)
	if err == nil {
		err = s.root.MkdirAll(path.Dir(name), 0o755)
	}
	if err != nil {
		return File{}, err
	}
	mode := fs.FileMode(archive.entry.Mode).Perm() & 0o755 //nolint:gosec // its last nine bits
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return File{}, err
	}
	h := sha256.New()
	size, err := io.Copy(io.MultiWriter(f, h), archive.tar)
	if err != nil {
		err = damaged("%s: %w", name, err)
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return File{}, err
	}
	changed := archive.entry.ModTime
	return File{Path: name, Size: size, SHA256: hex.EncodeToString(h.Sum(nil))}, s.root.Chtimes(name, changed, changed)
}

// place moves everything to the data folder, durably.
func (s *staging) place() error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.Rename(filepath.Join(s.dir, e.Name()), filepath.Join(s.dataDir, e.Name())); err != nil {
			return err
		}
		s.placed = append(s.placed, e.Name())
	}
	return syncFolder(s.dataDir)
}

// undo removes everything that was unpacked, and the data folder if it was created for it.
func (s *staging) undo() error {
	var all []error
	for _, remove := range s.uploaded {
		all = append(all, remove())
	}
	for _, name := range s.placed {
		all = append(all, os.RemoveAll(filepath.Join(s.dataDir, name)))
	}
	all = append(all, os.RemoveAll(s.dir), s.closeRoot())
	if s.made {
		all = append(all, os.Remove(s.dataDir))
	}
	return errors.Join(all...)
}

// removeEmpty removes the staging folder after place.
func (s *staging) removeEmpty() error { return errors.Join(s.closeRoot(), os.Remove(s.dir)) }

func (s *staging) closeRoot() error {
	if s.root == nil {
		return nil
	}
	return s.root.Close()
}

// rename renames a file durably.
func rename(from, to string) error {
	f, err := os.OpenFile(from, os.O_RDWR, 0) //nolint:gosec // the operator's own choice
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close(), os.Rename(from, to)); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// syncFolder makes the names in a folder durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir) //nolint:gosec // the operator's own choice
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// removeSQLite removes a SQLite file and the files next to it.
func removeSQLite(file string) error {
	var all []error
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// compareTables returns an error that names the tables that differ.
func compareTables(want, got map[string]TableSum) error {
	var all []error
	for name, w := range want {
		if g := got[name]; g.Rows != w.Rows {
			all = append(all, damaged("the table %s has %d rows instead of %d", name, g.Rows, w.Rows))
		} else if g != w {
			all = append(all, damaged("rows of the table %s have changed", name))
		}
	}
	for name := range got {
		if _, known := want[name]; !known {
			all = append(all, damaged("the table %s is not in the manifest", name))
		}
	}
	return errors.Join(all...)
}

// compareFiles returns an error that names the files that differ.
func compareFiles(want, got []File) error {
	var all []error
	found := make(map[string]File, len(got))
	for _, f := range got {
		found[f.Path] = f
	}
	for _, w := range want {
		if g, ok := found[w.Path]; !ok {
			all = append(all, damaged("the file %s is missing", w.Path))
		} else if g != w {
			all = append(all, damaged("the file %s has changed", w.Path))
		}
		delete(found, w.Path)
	}
	for name := range found {
		all = append(all, damaged("the file %s is not in the manifest", name))
	}
	if len(all) > 20 {
		all = append(all[:20], fmt.Errorf("and %d more", len(all)-20))
	}
	return errors.Join(all...)
}
