package child

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"stoa/internal/base/tempfolder"
	"stoa/internal/run/sandbox"
)

// maxSocketPath is the longest path of a unix socket that every system accepts
// (macOS: 104 bytes with the final zero).
const maxSocketPath = 103

// folderName begins the names of this program's folders in the system's folder for
// temporary files.
const folderName = "stoa-node"

// retryAfter is how long a Launcher remembers that no child can run: an administrator
// may install Node.js in the meantime.
const retryAfter = 5 * time.Second

// Config says how children run. Log is required.
type Config struct {
	Log *slog.Logger

	NodePath string // Node.js, 20.19 or newer; default "node", found in PATH

	// Isolation is the least level of containment: no child runs below it. A Launcher
	// always uses as much as the machine can do.
	Isolation sandbox.Level
	// Without are parts of the containment that are not used. Tests set it.
	Without []sandbox.Part

	// ProbeTimeout bounds each look at Node.js and at the containment; default 20 s.
	ProbeTimeout time.Duration
}

// Why no child can run on this machine. The errors of Launcher.Machine wrap them, and
// say what an administrator has to do.
var (
	ErrNoNode    = errors.New("no usable Node.js")
	ErrIsolation = errors.New("the machine cannot contain children as demanded")
	ErrClosed    = errors.New("stoa is stopping")
)

// setupError is why no child can run: cause is the text, kind one of the errors above.
type setupError struct{ kind, cause error }

func (e *setupError) Error() string   { return e.cause.Error() }
func (e *setupError) Unwrap() []error { return []error{e.kind, e.cause} }

// Launcher starts children. It looks for Node.js when the first one starts. It is safe
// for concurrent use. The caller closes it when all children are gone.
type Launcher struct {
	cfg   Config
	forks *forker

	mu      sync.Mutex
	machine *Machine
	err     error
	retryAt time.Time // when to try again after err
}

// Machine is what all children share: Node.js, the way to contain it, and a folder.
type Machine struct {
	Dir string // private, with a short path; removed by Launcher.Close

	node binary
	box  *sandbox.Box
	lock *os.File // held while this process lives, so that no other one sweeps Dir

	unbounded sync.Once // logs that the buffers of sockets cannot be bounded
}

// Temporary reports whether a child gets a temporary folder, which only its own file tree can bound.
func (m *Machine) Temporary() bool { return m.box.Has(sandbox.Namespaces) }

// New returns a Launcher that has not looked at the machine yet.
func New(cfg Config) *Launcher {
	cfg.NodePath = cmp.Or(cfg.NodePath, "node")
	cfg.ProbeTimeout = cmp.Or(cfg.ProbeTimeout, 20*time.Second)
	return &Launcher{cfg: cfg, forks: newForker()}
}

// Machine finds Node.js and how to contain it, once. The Launcher remembers a failure
// for a few seconds only.
func (l *Launcher) Machine() (*Machine, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.machine != nil || l.err != nil && time.Now().Before(l.retryAt) {
		return l.machine, l.err
	}
	l.machine, l.err = inspect(l.cfg)
	if l.err != nil {
		l.retryAt = time.Now().Add(retryAfter)
		l.cfg.Log.Error("internal plugins cannot run", slog.Any("err", l.err))
		return nil, l.err
	}
	node, box := l.machine.node, l.machine.box
	limits := slog.String("limits", "cgroup and rlimit")
	if why := box.Ungrouped(); why != nil {
		limits = slog.String("limits", "rlimit (no cgroup: "+why.Error()+")")
	}
	l.cfg.Log.Info("internal plugins run on Node.js",
		slog.String("path", node.path), slog.String("version", node.version.String()),
		slog.String("isolation", string(box.Level())), limits)
	if missing := box.Missing(); missing != "" {
		l.cfg.Log.Warn("internal plugins are not fully contained", slog.String("missing", missing))
	}
	return l.machine, nil
}

// Close releases what the Launcher holds. Later starts fail with ErrClosed.
func (l *Launcher) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forks.close()
	machine := l.machine
	l.machine, l.err = nil, &setupError{ErrClosed, ErrClosed}
	l.retryAt = time.Now().Add(time.Hour)
	if machine == nil {
		return nil
	}
	machine.box.Close()
	return errors.Join(os.RemoveAll(machine.Dir), machine.lock.Close())
}

func inspect(cfg Config) (*Machine, error) {
	node, err := findNode(cfg.NodePath, cfg.ProbeTimeout)
	if err != nil {
		return nil, &setupError{ErrNoNode, err}
	}
	box, err := newBox(cfg, &node)
	if err != nil {
		return nil, err
	}
	parent := tempDir()
	if n := sweep(parent); n > 0 {
		cfg.Log.Info("removed folders of stoa processes that were killed", slog.Int("folders", n))
	}
	folder, err := tempfolder.New(parent, folderName)
	if err != nil {
		box.Close()
		return nil, err
	}
	return &Machine{node: node, box: box, Dir: folder.Dir, lock: folder.Lock}, nil
}

// tempDir returns a folder for temporary files whose path is short enough for
// sockets in it.
func tempDir() string {
	dir, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil || len(dir)+len("/stoa-node-0123456789/0123456789/s") > maxSocketPath {
		return "/tmp"
	}
	return dir
}

// sweep removes the folders that killed processes left behind, and returns how many.
func sweep(parent string) int { return tempfolder.Sweep(parent, folderName) }

// Version returns the version of Node.js.
func (m *Machine) Version() string { return m.node.version.String() }

// ID identifies this program of Node.js with the options of Command. Another version in its place
// has another ID.
func (m *Machine) ID(heapMiB int) string {
	file := ""
	if info, err := os.Stat(m.node.path); err == nil {
		file = fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
	}
	return fmt.Sprintln(m.node.path, m.node.release, file, memoryArgs(heapMiB))
}

// HasNetworks reports whether each child has a network of its own, in which stoa listens.
func (m *Machine) HasNetworks() bool { return m.box.Has(sandbox.Namespaces) }

// Isolation returns how well children are contained, and what is missing for full
// containment.
func (m *Machine) Isolation() (level sandbox.Level, missing string) {
	return m.box.Level(), m.box.Missing()
}

// Command returns a command that runs Node.js with args outside of any containment, in
// Dir: for code of stoa alone. It has the options of a child with a heap of heapMiB, which
// V8's code cache depends on.
func (m *Machine) Command(ctx context.Context, heapMiB int, args ...string) *exec.Cmd {
	args = slices.Concat(memoryArgs(heapMiB), args)
	cmd := exec.CommandContext(ctx, m.node.path, args...) //nolint:gosec // the administrator's Node.js
	cmd.Env, cmd.Dir = environment(), m.Dir
	cmd.SysProcAttr = sandboxAttributes()
	return cmd
}

// Put writes a file that children read into Dir and returns its path. It is quick for a
// file that is there already.
func (m *Machine) Put(name string, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	path := filepath.Join(m.Dir, hex.EncodeToString(sum[:8])+"-"+name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	tmp, err := os.CreateTemp(m.Dir, ".tmp-*")
	if err != nil {
		return "", fmt.Errorf("node: %w", err)
	}
	defer os.Remove(tmp.Name()) // a no-op once renamed
	_, err = tmp.Write(content)
	if err := errors.Join(err, tmp.Close()); err != nil {
		return "", fmt.Errorf("node: %w", err)
	}
	return path, os.Rename(tmp.Name(), path)
}
