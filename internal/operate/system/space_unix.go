//go:build linux || darwin

package system

import "golang.org/x/sys/unix"

func spaceAt(folder string) (Space, bool) {
	var fs unix.Statfs_t
	var info unix.Stat_t
	if unix.Statfs(folder, &fs) != nil || unix.Stat(folder, &info) != nil || fs.Blocks == 0 {
		return Space{}, false
	}
	block := uint64(fs.Bsize)                                                                                    //nolint:gosec // a size
	return Space{Disk: uint64(info.Dev), Free: uint64(fs.Bavail) * block, Size: uint64(fs.Blocks) * block}, true //nolint:unconvert // of other types elsewhere
}
