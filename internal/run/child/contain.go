package child

import (
	"cmp"
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

	// tempMiB and tempFiles bound a process's temporary folder. Its files count towards the
	// process's memory, too.
	tempMiB   = 64
	tempFiles = 1024
)

// newBox finds out how well this machine can contain a program, by running node in
// the box. It sets node's libraries, and fails below the demanded level, or if the machine is too busy to
// find out.
func newBox(cfg Config, node *binary) (*sandbox.Box, error) {
	err := node.inspect(cfg.ProbeTimeout)
	late := errors.Is(err, context.DeadlineExceeded)
	try := func(b *sandbox.Box) error {
		if err != nil {
			return err
		}
		failed := tryBox(b, *node, cfg.ProbeTimeout)
		late = late || errors.Is(failed, context.DeadlineExceeded)
		return failed
	}
	box := sandbox.New(try, cfg.Without...)
	if !late && !box.Level().Meets(cfg.Isolation) {
		return nil, &setupError{ErrIsolation, fmt.Errorf(
			"internal plugins do not run: the isolation here is %s and must be %s (--plugin-isolation). Missing: %s",
			box.Level(), cfg.Isolation, box.Missing())}
	}
	if !late && !slices.Contains(cfg.Without, sandbox.Cgroup) {
		groups, err := sandbox.OwnGroups()
		box.UseGroups(groups, err, try)
	}
	if late { // it says nothing of what the machine can do
		box.Close()
		return nil, &setupError{ErrIsolation, fmt.Errorf(
			"internal plugins do not run yet: the machine is too busy to find out how it can contain them. "+
				"Starting Node.js took longer than %s", cfg.ProbeTimeout)}
	}
	return box, nil
}

// inspect asks Node.js which file it is, and which libraries it has loaded.
func (n *binary) inspect(limit time.Duration) error {
	const ask = `process.report.excludeNetwork = true
		console.log(JSON.stringify({ path: process.execPath, libraries: process.report.getReport().sharedObjects }))`
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.path, "-e", ask) //nolint:gosec // the administrator's Node.js
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%s does not list its libraries: %w", n.path, cmp.Or(ctx.Err(), err))
	}
	var answer struct {
		Path      string
		Libraries []string
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("%s does not list its libraries: %w", n.path, err)
	}
	// The file in PATH may be a script or a link that leads to the real one.
	n.path = answer.Path
	for _, library := range answer.Libraries {
		if filepath.IsAbs(library) {
			n.libraries = append(n.libraries, library)
		}
	}
	return nil
}

// sandboxSpec returns what every process of n may read and execute.
func (n binary) sandboxSpec() sandbox.Spec {
	return sandbox.Spec{
		Execute: append([]string{n.path}, n.libraries...),
		// Debian's Node.js has some of its own modules outside of the binary.
		Read: []string{"/etc/ld.so.cache", "/usr/share/nodejs"},
	}
}

// tryBox returns nil if Node.js runs in b.
func tryBox(b *sandbox.Box, n binary, limit time.Duration) error {
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		return err
	}
	defer reportRead.Close()
	defer reportWrite.Close()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
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
	if ctx.Err() != nil {
		return ctx.Err()
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
func dataMiB(heapMiB int, v version) int {
	limit := heapMiB + extraMiB + slackMiB
	if v.atLeast(23, 0) {
		limit += codeMiB
	}
	return limit
}

// contain makes cmd start contained. The caller calls started after it started cmd,
// or failed to, and c.Ended when cmd has exited. The child's connections end with ctx.
func (m *Machine) contain(
	ctx context.Context, cmd *exec.Cmd, child Spec,
) (c *sandbox.Contained, started func(bool), err error) {
	spec := m.node.sandboxSpec()
	spec.Read = slices.Concat(spec.Read, child.Files, []string{child.Dir}, child.Folders)
	spec.Limits = sandbox.Limits{
		DataBytes: uint64(dataMiB(child.HeapMiB, m.node.version)) << 20, //nolint:gosec // some hundred
		OpenFiles: maxOpenFiles, Threads: maxThreads,
		GroupBytes: uint64(memoryLimit(child.HeapMiB)) + groupSlackMiB<<20, //nolint:gosec // some hundred
		TempBytes:  tempMiB << 20, TempFiles: tempFiles,
	}
	var plan *egress.Plan
	if child.Network != nil && m.box.Has(sandbox.Namespaces) {
		plan = child.Network()
		cmd.Env = append(cmd.Env, plan.Apply(&spec)...)
	}
	c, err = m.box.Contain(cmd, spec)
	if err != nil {
		return nil, nil, err
	}
	return c, func(running bool) {
		if !running {
			c.Ended()
		}
		if !running {
			c.Close()
			return
		}
		go func() {
			defer c.Close()
			listeners, err := c.Listeners()
			if err != nil {
				child.Log.Debug("plugin has no network", slog.Any("err", err)) // its report says why
				return
			}
			if c.OwnNetwork() && !c.Bounded() {
				m.unbounded.Do(func() {
					child.Log.Warn("plugins' TCP sockets have buffers of the machine's size: /proc/sys/net is read-only here")
				})
			}
			if plan != nil {
				plan.Serve(ctx, child.Log, listeners)
			}
		}()
	}, nil
}
