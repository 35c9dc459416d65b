package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// root is where the new file tree is built. Any folder will do: only this process sees what it
// mounts there.
const root = "/tmp"

// fileTree replaces the file system of this process with a small one: the files of the program, the
// files it may read, /dev/null, and its own /proc. All of it is read-only but TempDir, which is
// private and bounded.
func fileTree(s Spec) error {
	// Mounts made here must not show up outside, nor mounts made outside in here.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	shown, err := cloneAll(s)
	if err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV,
		"size=256k,nr_inodes=256,mode=755"); err != nil {
		return fmt.Errorf("tmpfs: %w", err)
	}
	if err := skeleton(s); err != nil {
		return err
	}
	for _, m := range shown {
		if err := m.attachLatest(); err != nil {
			return fmt.Errorf("%s: %w", m.path, err)
		}
	}
	if err := ownProc(); err != nil {
		return err
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, root, unix.AT_RECURSIVE, &readOnly); err != nil {
		return fmt.Errorf("read-only: %w", err)
	}
	if err := temporary(s.Limits); err != nil {
		return fmt.Errorf("temporary folder: %w", err)
	}
	return becomeRoot()
}

// temporary mounts TempDir. The kernel bounds it with or without control groups, and drops it with
// the last process that sees it.
func temporary(l Limits) error {
	if l.TempBytes == 0 || l.TempFiles == 0 {
		return nil
	}
	return unix.Mount("tmpfs", root+TempDir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC,
		fmt.Sprintf("size=%d,nr_inodes=%d,mode=700", l.TempBytes, l.TempFiles))
}

// shown is a file or folder from outside that the program will see.
type shown struct {
	path string
	fd   int // a detached mount of it
	dir  bool
	attr uint64
}

// cloneAll opens everything that will be shown, before the new tree hides it.
func cloneAll(s Spec) ([]shown, error) {
	var all []shown
	add := func(paths []string, attr uint64) error {
		for _, path := range paths {
			m, err := clone(path, attr)
			if errors.Is(err, os.ErrNotExist) {
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			all = append(all, m)
		}
		return nil
	}
	return all, errors.Join(
		add(s.Execute, unix.MOUNT_ATTR_NODEV),
		add(s.Read, unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC),
		add([]string{"/dev/null"}, unix.MOUNT_ATTR_NOEXEC))
}

func clone(path string, attr uint64) (shown, error) {
	info, err := os.Stat(path)
	if err != nil {
		return shown{}, err
	}
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return shown{}, err
	}
	return shown{path: path, fd: fd, dir: info.IsDir(), attr: attr}, nil
}

// attachLatest mounts m at its path in the new tree. The kernel refuses to mount a deleted file, so
// attachLatest opens a file again that was replaced since it was opened. That fails below root, where
// the new tree hides the file by now. Then an empty file stays in its place, or, if the file is one
// that the program executes, attachLatest returns the error.
func (m shown) attachLatest() error {
	err := m.attach()
	for range 3 {
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		var next shown
		if next, err = clone(m.path, m.attr); err == nil {
			err = next.attach()
		}
	}
	if errors.Is(err, os.ErrNotExist) && m.attr&unix.MOUNT_ATTR_NOEXEC != 0 {
		return nil
	}
	return err
}

// attach mounts m at its path in the new tree.
func (m shown) attach() error {
	defer unix.Close(m.fd)
	at := filepath.Join(root, m.path)
	if err := makeTarget(at, m.dir); err != nil {
		return err
	}
	if err := unix.MountSetattr(m.fd, "", unix.AT_EMPTY_PATH, &unix.MountAttr{Attr_set: m.attr}); err != nil {
		return err
	}
	return unix.MoveMount(m.fd, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

func makeTarget(at string, dir bool) error {
	if dir {
		return os.MkdirAll(at, 0o755) // read-only, and seen by the program only
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { // the same
		return err
	}
	f, err := os.OpenFile(at, os.O_CREATE|os.O_RDONLY, 0o644) // the same
	if err != nil {
		return err
	}
	return f.Close()
}

// skeleton writes the files and folders that exist only inside.
func skeleton(s Spec) error {
	var hosts strings.Builder
	hosts.WriteString("127.0.0.1 localhost\n::1 localhost\n")
	for _, h := range s.Hosts {
		fmt.Fprintf(&hosts, "%s %s\n", h.Address, h.Name)
	}
	files := map[string]string{
		"/etc/hosts": hosts.String(),
		// Names that are not in the hosts file do not resolve: no name server can be reached.
		"/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
		"/etc/passwd":        "nobody:x:65534:65534:nobody:/:/nonexistent\n",
		"/etc/group":         "nogroup:x:65534:\n",
	}
	for path, text := range s.Files {
		files[path] = text
	}
	for path, text := range files {
		at := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { // seen by the program only
			return err
		}
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil { // the same
			return err
		}
	}
	return errors.Join( // the same
		os.MkdirAll(root+"/tmp", 0o755), os.MkdirAll(root+TempDir, 0o755), os.MkdirAll(root+"/proc", 0o755))
}

// ownProc mounts a /proc with only the processes of this PID namespace, and none of its other
// files. Some containers forbid that; then there is no /proc.
func ownProc() error {
	err := unix.Mount("proc", root+"/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "subset=pid,hidepid=2")
	if err == nil || errors.Is(err, unix.EPERM) {
		return nil
	}
	return fmt.Errorf("proc: %w", err)
}

// becomeRoot makes the new tree the root of this process and unmounts the old one.
func becomeRoot() error {
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("the old root: %w", err)
	}
	return os.Chdir("/")
}
