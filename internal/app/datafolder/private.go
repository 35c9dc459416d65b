package datafolder

import (
	"io/fs"
	"os"
	"path/filepath"
)

// stoaFiles are names that stoa gives to what is in its data folder. One of them
// tells that a folder is stoa's.
var stoaFiles = []string{"master.key", "stoa.db", "plugins"}

// stoaFolders are the folders in the data folder.
var stoaFolders = []string{"plugins", "media", "tmp", "demo"}

// keepPrivate takes all permissions on the data folder, and on stoa's folders in
// it, from everybody but their owner: they may have existed before stoa, readable
// by all. It reports whether the data folder is private now.
//
// A folder that holds other things and nothing of stoa's is left alone: it may be
// /tmp. So is one that belongs to another user.
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

// isStoas reports whether a folder is empty or has something of stoa's in it.
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

// closeFolder takes all permissions of a folder from everyone but its owner. It leaves links and
// folders that users share as they are.
func closeFolder(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() || info.Mode()&fs.ModeSticky != 0 || info.Mode().Perm()&0o077 == 0 {
		return
	}
	_ = os.Chmod(path, info.Mode().Perm()&0o700) // fails if another user owns it, and is told by keepPrivate
}
