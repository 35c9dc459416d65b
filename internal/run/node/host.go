package node

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"

	"stoa/internal/run/child"
)

// dist holds the bundled host program, or only a README if it was not built.
//
//go:embed all:dist
var dist embed.FS

// host is the host program (nodehost/), whose files are written when the first process
// starts.
type host struct {
	cfg Config

	missing sync.Once // logs that the program was not built

	mu    sync.Mutex
	files *hostFiles
}

// hostFiles are the files of the host program, in the folder of the Launcher.
type hostFiles struct {
	machine *child.Machine
	script  string // the host program
	boot    string // what loads it
	cache   string // V8's code cache of it, once it is made
	kept    string // where the cache is kept for the next run; empty: nowhere
	warm    *codeCache
	shims   string // a node_modules folder; see the variable
}

func newHost(cfg Config) *host { return &host{cfg: cfg} }

// prepare looks at the machine and writes the host's files, once. The error says
// what an administrator has to install or change.
func (h *host) prepare() (*hostFiles, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.files != nil {
		return h.files, nil
	}
	script, err := dist.ReadFile("dist/host.cjs")
	if errors.Is(err, fs.ErrNotExist) {
		err := errors.New("this stoa was built without its Node host: run make build")
		h.missing.Do(func() { h.cfg.Log.Error("internal plugins cannot run", slog.Any("err", err)) })
		return nil, &startError{reasonHostMissing, err}
	}
	if err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	machine, err := h.cfg.Children.Machine()
	if err != nil {
		return nil, machineError(err)
	}
	files := &hostFiles{
		machine: machine, cache: filepath.Join(machine.Dir, fmt.Sprintf("host-%d.cache", h.cfg.MemoryMiB)),
	}
	if files.shims, err = writeShims(h.cfg.DataDir); err != nil {
		return nil, fmt.Errorf("node: %w", err)
	}
	if files.script, err = machine.Put("host.cjs", script); err != nil {
		return nil, err
	}
	names := strings.NewReplacer("HOST_PROGRAM", filepath.Base(files.script), "CODE_CACHE", filepath.Base(files.cache))
	if files.boot, err = machine.Put("boot.cjs", []byte(names.Replace(boot))); err != nil {
		return nil, err
	}
	if h.cfg.CacheDir != "" {
		files.kept = filepath.Join(h.cfg.CacheDir, keptName(h.cfg, machine, script))
	}
	files.warm = makeCodeCache(h.cfg, files)
	h.files = files
	return files, nil
}

// machineError gives an error of child.Launcher.Machine the reason that callers see.
func machineError(err error) error {
	switch {
	case errors.Is(err, child.ErrNoNode):
		return &startError{reasonNodeMissing, err}
	case errors.Is(err, child.ErrIsolation):
		return &startError{reasonIsolation, err}
	case errors.Is(err, child.ErrClosed):
		return errStopping
	}
	return err
}

// close ends what the host still does in the background.
func (h *host) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.files != nil {
		h.files.warm.close()
	}
}
