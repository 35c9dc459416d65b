package main

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// snapshot is the state of the files of a folder, by path.
type snapshot map[string]fileState

type fileState struct {
	changed time.Time
	size    int64
}

// lookAt returns the state of a plugin's folder, without what others wrote
// (node_modules) and hidden files, and of its config.
func lookAt(folder, config string) snapshot {
	s := make(snapshot)
	_ = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it has just gone
		}
		if path != folder && (e.Name() == "node_modules" || strings.HasPrefix(e.Name(), ".")) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			name, _ := filepath.Rel(folder, path) // it is below folder
			s[name] = fileState{info.ModTime(), info.Size()}
		}
		return nil
	})
	if info, err := os.Stat(config); config != "" && err == nil {
		s[config] = fileState{info.ModTime(), info.Size()}
	}
	return s
}

func (s snapshot) equal(other snapshot) bool { return other != nil && maps.Equal(s, other) }

// changes names the files that differ from an earlier state.
func (s snapshot) changes(before snapshot) string {
	var names []string
	for name, state := range s {
		if before[name] != state {
			names = append(names, name)
		}
	}
	for name := range before {
		if _, ok := s[name]; !ok {
			names = append(names, name+" (removed)")
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// copyFolder copies the files of a plugin's folder to to. What is in node_modules is
// linked where the system can: it is much, and does not change.
func copyFolder(to, folder string) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		switch {
		case e.IsDir() && name == ".git":
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(target, 0o750)
		case !e.Type().IsRegular():
			return nil
		case strings.Contains(name, "node_modules"+string(filepath.Separator)) &&
			os.Link(path, target) == nil: //nolint:gosec // the author's own folder
			return nil
		}
		return copyFile(target, path)
	})
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from) //nolint:gosec // the author's folder
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) //nolint:gosec // our copy
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
