package node

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"stoa/internal/base/tempfolder"
	"stoa/internal/run/sandbox"
)

// dist holds the bundled host program, or only a README if it was not built.
//
//go:embed all:dist
var dist embed.FS

// maxSocketPath is the longest path of a unix socket that every system accepts
// (macOS: 104 bytes with the final zero).
const maxSocketPath = 103

// host is what all processes share: Node.js and the files of the host program. It
// is prepared when the first process starts.
type host struct {
	cfg Config

	mu      sync.Mutex
	files   *hostFiles
	err     error
	retryAt time.Time // when to prepare again after err
}

// hostFiles are the files of the host program, in a folder of this process.
type hostFiles struct {
	node   nodeBinary
	box    *sandbox.Box
	dir    string   // private, with a short path
	lock   *os.File // held while this process lives, so that no other sweeps dir
	script string   // the host program
	boot   string   // what loads it
	cache  string   // V8's code cache of it, if it was made
	warm   *codeCache
	shims  string // a node_modules folder; see the variable
}

func newHost(cfg Config) *host { return &host{cfg: cfg} }

// prepare finds Node.js and writes the host's files, once. It remembers a failure
// for a few seconds only: an administrator may install Node.js in the meantime.
func (h *host) prepare() (*hostFiles, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.files != nil || h.err != nil && time.Now().Before(h.retryAt) {
		return h.files, h.err
	}
	h.files, h.err = prepareHost(h.cfg)
	if h.err != nil {
		h.retryAt = time.Now().Add(5 * time.Second)
		h.cfg.Log.Error("internal plugins cannot run", slog.Any("err", h.err))
		return nil, h.err
	}
	node, box := h.files.node, h.files.box
	limits := slog.String("limits", "cgroup and rlimit")
	if why := box.Ungrouped(); why != nil {
		limits = slog.String("limits", "rlimit (no cgroup: "+why.Error()+")")
	}
	h.cfg.Log.Info("internal plugins run on Node.js",
		slog.String("path", node.path), slog.String("version", node.version.String()),
		slog.String("isolation", string(box.Level())), limits)
	if missing := box.Missing(); missing != "" {
		h.cfg.Log.Warn("internal plugins are not fully contained", slog.String("missing", missing))
	}
	return h.files, nil
}

// close removes the files.
func (h *host) close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	files := h.files
	h.files, h.err, h.retryAt = nil, errStopping, time.Now().Add(time.Hour)
	if files == nil {
		return nil
	}
	files.warm.close()
	files.box.Close()
	return errors.Join(os.RemoveAll(files.dir), files.lock.Close())
}

func prepareHost(cfg Config) (*hostFiles, error) {
	script, err := dist.ReadFile("dist/host.cjs")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &startError{reasonHostMissing, errors.New("this stoa was built without its Node host: run make build")}
	}
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	node, err := findNode(cfg.NodePath)
	if err != nil {
		return nil, &startError{reasonNodeMissing, err}
	}
	box, err := newBox(cfg, &node)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			box.Close()
		}
	}()
	shims, err := writeShims(cfg.DataDir)
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	parent := tempDir()
	if n := sweep(parent); n > 0 {
		cfg.Log.Info("removed what a stoa that was killed had left behind", slog.Int("folders", n))
	}
	files, err := newHostFiles(parent)
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	files.node, files.box, files.shims = node, box, shims
	if err = errors.Join(os.WriteFile(files.script, script, 0o600), files.writeBoot()); err != nil {
		return nil, errors.Join(err, os.RemoveAll(files.dir), files.lock.Close())
	}
	files.warm = makeCodeCache(cfg, files)
	return files, nil
}

// folderName begins the names of this program's folders in the system's folder for
// temporary files.
const folderName = "stoa-node"

// tempDir returns a folder for temporary files whose path is short enough for
// sockets in it.
func tempDir() string {
	dir, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil || len(dir)+len("/stoa-node-0123456789/0123456789/s") > maxSocketPath {
		return "/tmp"
	}
	return dir
}

func newHostFiles(parent string) (*hostFiles, error) {
	folder, err := tempfolder.New(parent, folderName)
	if err != nil {
		return nil, err
	}
	return &hostFiles{dir: folder.Dir, lock: folder.Lock, script: filepath.Join(folder.Dir, "host.cjs")}, nil
}

// sweep removes the folders that killed processes left behind, and returns how many.
func sweep(parent string) int { return tempfolder.Sweep(parent, folderName) }
