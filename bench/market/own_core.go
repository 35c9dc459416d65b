package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// ownCore gives a PostgreSQL server on this machine the last processor, and this program, stoa and the
// peers, which are started later, the others. It returns what undoes this.
func ownCore(ctx context.Context, at string) (undo func() error, err error) {
	n := runtime.NumCPU()
	if n < 2 {
		return nil, errors.New("--own-core: this machine has a single processor")
	}
	server, err := serverProcesses(ctx, at)
	if err != nil {
		return nil, fmt.Errorf("--own-core: %w", err)
	}
	self := []int{os.Getpid()}
	undo = func() error {
		all := "0-" + strconv.Itoa(n-1)
		return errors.Join(pin(context.WithoutCancel(ctx), all, self), pin(context.WithoutCancel(ctx), all, server[:1]))
	}
	if err := pin(ctx, "0-"+strconv.Itoa(n-2), self); err != nil {
		return nil, err
	}
	if err := pin(ctx, strconv.Itoa(n-1), server); err != nil {
		return nil, errors.Join(err, undo())
	}
	return undo, nil
}

// pin lets processes, with all their threads and what they start from now on, run on these processors.
func pin(ctx context.Context, processors string, pids []int) error {
	for _, pid := range pids {
		cmd := exec.CommandContext(ctx, "taskset", "-acp", processors, strconv.Itoa(pid)) //nolint:gosec // numbers
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%v: %w: %s", cmd.Args, err, out)
		}
	}
	return nil
}

// serverProcesses returns the process of the server that makes all others, and after it those.
func serverProcesses(ctx context.Context, at string) (pids []int, err error) {
	db, err := sql.Open("pgx", at)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var session int
	if err := db.QueryRowContext(ctx, `SELECT pg_backend_pid()`).Scan(&session); err != nil {
		return nil, err
	}
	first, err := parentOf(session)
	if err != nil {
		return nil, fmt.Errorf("the server is not on this machine: %w", err)
	}
	pids = append(pids, first)
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if parent, err := parentOf(pid); err == nil && parent == first && pid != session {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// parentOf returns the parent of a process of PostgreSQL.
func parentOf(pid int) (int, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(stat), " (postgres) ")
	fields := strings.Fields(rest)
	if !found || len(fields) < 2 {
		return 0, fmt.Errorf("process %d is none of PostgreSQL", pid)
	}
	return strconv.Atoi(fields[1])
}
