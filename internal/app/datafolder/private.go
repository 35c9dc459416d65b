package datafolder

import (
	"io/fs"
	"os"
	"path/filepath"
)

// stoaFiles are names of files and folders in a data folder. One of them is enough to recognize a
// folder as stoa's.
var stoaFiles = []string{"master.key", "stoa.db", "plugins"}

// stoaFolders are the folders in the data folder.
var stoaFolders = []string{"plugins", "media", "exports", "tmp", "demo", "cache"}

// keepPrivate removes all permissions on the data folder, and on stoa's folders in it, from
// everyone but their owner: they may have existed before stoa, readable by all. It reports whether
// the data folder is private now.
//
// It does not touch a folder that holds other files and none of stoa's, which may be /tmp, nor one
// that belongs to another user.
func keepPrivate(dir string) bool {
	if isStoas(dir) {
		for _, name := range stoaFolders {
			closeFolder(filepath.Join(dir, name))
		}
		if path, err := filepath.EvalSymlinks(dir); err == nil { // the operator may link to it
			closeFolder(path)
		}
	}
	info, err := os.Stat(dir)
	return err == nil && info.Mode().Perm()&0o077 == 0
}

// isStoas reports whether a folder is empty or contains files of stoa.
func isStoas(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, name := range stoaFiles {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return true
		}
	}
	return len(entries) == 0
}

// closeFolder removes all permissions on a folder from everyone but its owner. It does not touch
// links and sticky folders, which users share.
func closeFolder(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || info.Mode()&fs.ModeSticky != 0 || info.Mode().Perm()&0o077 == 0 {
		return
	}
	_ = os.Chmod(path, info.Mode().Perm()&0o700) // fails if another user owns it, which keepPrivate reports
}
