package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"stoa/internal/run/egress"
	"stoa/internal/run/sandbox"
)

// processHeader carries the secret of a process in each request to it. The host
// program refuses requests without it, and takes it away before a plugin sees the
// others (nodehost/src/gate.js).
const processHeader = "X-Stoa-Process"

// Limits of a contained process beyond its JavaScript heap.
const (
	// extraMiB is what code, stacks and Buffers may take on top of the heap.
	extraMiB = 128
	// slackMiB is what may be reserved but not used on top of that: the kernel's own
	// limit is a backstop, and allocations fail there, which a plugin can survive.
	slackMiB = 256
	// codeMiB is the space for machine code that V8 reserves as writable, from
	// Node.js 23 on, and the kernel therefore counts.
	codeMiB = 512
	// groupSlackMiB is what a control group may have beyond what the process may have
	// in memory: what the kernel keeps for it, and what comes between two looks.
	groupSlackMiB = 64

	maxOpenFiles = 1024
	maxThreads   = 64
)

// newBox finds out how well programs can be contained here, by running node in it.
// It completes node with what it is made of, and fails if that is not well enough.
func newBox(cfg Config, node *nodeBinary) (*sandbox.Box, error) {
	err := node.inspect()
	try := func(b *sandbox.Box) error {
		if err != nil {
			return err
		}
		return tryBox(b, *node)
	}
	box := sandbox.New(try, cfg.Without...)
	if !box.Level().Meets(cfg.Isolation) {
		return nil, &startError{reasonIsolation, fmt.Errorf(
			"internal plugins do not run: the isolation here is %s and must be %s (--plugin-isolation). Missing: %s",
			box.Level(), cfg.Isolation, box.Missing())}
	}
	if !slices.Contains(cfg.Without, sandbox.Cgroup) {
		groups, err := sandbox.OwnGroups()
		box.UseGroups(groups, err, try)
	}
	return box, nil
}

// inspect asks Node.js which file it is, and which libraries it has loaded.
func (n *nodeBinary) inspect() error {
	const ask = `process.report.excludeNetwork = true
		console.log(JSON.stringify({ path: process.execPath, libraries: process.report.getReport().sharedObjects }))`
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.path, "-e", ask) //nolint:gosec // the administrator's Node.js
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s does not tell its libraries: %w", n.path, err)
	}
	var answer struct {
		Path      string
		Libraries []string
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("%s does not tell its libraries: %w", n.path, err)
	}
	// What is in PATH may be a script or a link that finds the real one.
	n.path = answer.Path
	for _, library := range answer.Libraries {
		if filepath.IsAbs(library) {
			n.libraries = append(n.libraries, library)
		}
	}
	return nil
}

// sandboxSpec returns what every process of n gets to see.
func (n nodeBinary) sandboxSpec() sandbox.Spec {
	return sandbox.Spec{
		Execute: append([]string{n.path}, n.libraries...),
		// Debian's Node.js has some of its own modules outside of the binary.
		Read: []string{"/etc/ld.so.cache", "/usr/share/nodejs"},
	}
}

// tryBox runs Node.js in b and has it say something.
func tryBox(b *sandbox.Box, n nodeBinary) error {
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reportRead.Close()
	defer reportWrite.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.path, "--version") //nolint:gosec // the administrator's Node.js
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.ExtraFiles = []*os.File{reportWrite, reportWrite}
	c, err := b.Contain(cmd, n.sandboxSpec())
	if err != nil {
		return err
	}
	defer c.Ended()
	defer c.Close()
	out, err := cmd.Output()
	if err == nil {
		_, err = parseVersion(string(out))
		return err
	}
	_ = reportWrite.Close()
	_ = reportRead.SetReadDeadline(time.Now().Add(time.Second))
	var report struct{ Error struct{ Message string } }
	if json.NewDecoder(reportRead).Decode(&report) == nil {
		return errors.New(report.Error.Message)
	}
	return err
}

// dataMiB is what a process with a heap of heapMiB may reserve to write to.
func dataMiB(heapMiB int, v nodeVersion) int {
	limit := heapMiB + extraMiB + slackMiB
	if v.atLeast(23, 0) {
		limit += codeMiB
	}
	return limit
}

// contain makes cmd start contained. The caller calls started after it started cmd,
// or failed to, and c.Ended when cmd has exited. What the plugin reaches ends with ctx.
func (rt *Runtime) contain(
	ctx context.Context, h *hostFiles, cmd *exec.Cmd, a forkArgs,
) (c *sandbox.Contained, started func(bool), err error) {
	spec := h.node.sandboxSpec()
	if a.program != nil {
		spec.Read = append(spec.Read, a.program.preload, a.dir)
	} else {
		spec.Read = append(spec.Read, h.boot, h.script, h.cache, a.dir, h.shims)
	}
	spec.Limits = sandbox.Limits{
		DataBytes: uint64(dataMiB(a.memoryMiB, h.node.version)) << 20, //nolint:gosec // some hundred
		OpenFiles: maxOpenFiles, Threads: maxThreads,
		GroupBytes: uint64(memoryLimit(a.memoryMiB)) + groupSlackMiB<<20, //nolint:gosec // some hundred
	}
	var plan *egress.Plan
	if rt.cfg.Egress != nil && h.box.Has(sandbox.Namespaces) {
		var wrong []string
		if a.program != nil {
			plan = rt.cfg.Egress.Whole()
		} else {
			plan, wrong = rt.cfg.Egress.Plan(a.permissions)
		}
		cmd.Env = append(cmd.Env, plan.Apply(&spec)...)
		for _, permission := range wrong {
			a.log.Warn("plugin permission allows nothing: it names no host, or one too many",
				slog.String("permission", permission))
		}
	}
	c, err = h.box.Contain(cmd, spec)
	if err != nil {
		return nil, nil, err
	}
	return c, func(running bool) {
		if !running {
			c.Ended()
		}
		if !running || plan == nil {
			c.Close()
			return
		}
		go func() {
			defer c.Close()
			listeners, err := c.Listeners()
			if err != nil {
				a.log.Debug("plugin has no network", slog.Any("err", err)) // its report says why
				return
			}
			plan.Serve(ctx, a.log, listeners)
		}()
	}, nil
}
