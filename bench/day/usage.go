package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"stoa/bench/measure"
)

// usage is what a shop has used so far.
type usage struct {
	stoa, database time.Duration // processor time; SQLite's is stoa's
	rows, bytes    int64
}

func (u usage) minus(v usage) usage {
	return usage{u.stoa - v.stoa, u.database - v.database, u.rows - v.rows, u.bytes - v.bytes}
}

func (s *shop) usage(ctx context.Context) (u usage, err error) {
	for _, p := range s.replicas {
		u.stoa += measure.CPUOf(p.PID()) + cpuOfChildren(p.PID())
	}
	list, size := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`,
		`SELECT page_count * page_size FROM pragma_page_count, pragma_page_size`
	if s.postgres != "" {
		var backend int
		if err := s.db.QueryRowContext(ctx, `SELECT pg_backend_pid()`).Scan(&backend); err != nil {
			return u, err
		}
		u.database = cpuOfChildren(parentOf(backend))
		list = `SELECT tablename FROM pg_tables WHERE schemaname = '` + schema + `'`
		size = `SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c WHERE c.relkind = 'r'
			AND c.relnamespace = '` + schema + `'::regnamespace`
	}
	if err := s.db.QueryRowContext(ctx, size).Scan(&u.bytes); err != nil {
		return u, err
	}
	tables, err := s.strings(ctx, list)
	if err != nil {
		return u, err
	}
	counts := make([]string, len(tables))
	for i, name := range tables {
		counts[i] = `(SELECT count(*) FROM "` + name + `")`
	}
	err = s.db.QueryRowContext(ctx, `SELECT `+strings.Join(counts, " + ")).Scan(&u.rows)
	return u, err
}

func (s *shop) strings(ctx context.Context, query string) (list []string, err error) {
	rows, err := s.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// cpuOfChildren returns the processor time of the processes that a process has started and
// that still run, theirs included.
func cpuOfChildren(pid int) (all time.Duration) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	for _, e := range entries {
		if child, err := strconv.Atoi(e.Name()); err == nil && parentOf(child) == pid {
			all += measure.CPUOf(child) + cpuOfChildren(child)
		}
	}
	return all
}

// parentOf returns the id of the process that started another; 0 if it is not known.
func parentOf(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(stat, []byte(") ")) // the name may hold spaces
	fields := bytes.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return parent
}
