package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"stoa/bench/measure"
)

// startTarget is how long a start may take until /readyz answers 200.
const startTarget = 100 * time.Millisecond

// schema is the schema on PostgreSQL.
const schema = "bench_packages"

// starts measures starts with many packages and instances on each database, and prints a
// table.
func starts(ctx context.Context, o options, dir string) error {
	fmt.Printf("%d packages of 21 files, and %d more instances of one of them\n\n", o.packages, o.instances)
	fmt.Println("| start on | ready ms | lowest | highest | target | CPU ms until ready | CPU ms of 10 s | " +
		"first page of instances ms | last page ms |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	if err := startOn(ctx, o, "SQLite", filepath.Join(dir, "sqlite"), ""); err != nil || o.postgres == "" {
		return err
	}
	at, drop, err := measure.Schema(ctx, o.postgres, schema)
	if err != nil {
		return err
	}
	return errors.Join(startOn(ctx, o, "PostgreSQL", filepath.Join(dir, "postgres"), at), drop())
}

func startOn(ctx context.Context, o options, engine, data, database string) error {
	env := []string{"STOA_DATA=" + data, "STOA_ADMIN_EMAIL=" + adminEmail, "STOA_ADMIN_PASSWORD=" + adminPassword}
	if database != "" {
		env = append(env, "STOA_DATABASE_URL="+database)
	}
	first, last, err := fill(ctx, o, env)
	if err != nil {
		return err
	}
	var ready, cpu []time.Duration
	for range o.rounds {
		took, used, err := startOnce(ctx, o, env, 0)
		if err != nil {
			return err
		}
		ready, cpu = append(ready, took), append(cpu, used)
	}
	_, all, err := startOnce(ctx, o, env, 10*time.Second)
	if err != nil {
		return err
	}
	lowest, highest := ready[0], ready[0]
	for _, d := range ready {
		lowest, highest = min(lowest, d), max(highest, d)
	}
	fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %.1f | %.1f |\n", engine, median(ready).Milliseconds(),
		lowest.Milliseconds(), highest.Milliseconds(), startTarget.Milliseconds(), median(cpu).Milliseconds(),
		all.Milliseconds(), first.Seconds()*1e3, last.Seconds()*1e3)
	return nil
}

// startOnce starts stoa and returns after what time it was ready, and the processor time
// that it used until then and for a while more.
func startOnce(ctx context.Context, o options, env []string, more time.Duration) (took, cpu time.Duration, err error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, 0, err
	}
	addr := ln.Addr().String()
	if err := ln.Close(); err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, o.stoa, "serve", "--addr="+addr, "--ops-addr=off") //nolint:gosec // the command line's
	cmd.Env = append(os.Environ(), env...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	var log bytes.Buffer
	cmd.Stderr = &log
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		err = errors.Join(err, cmd.Wait())
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, log.String())
		}
	}()
	for ; ; time.Sleep(5 * time.Millisecond) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
		if err != nil {
			return 0, 0, err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				break
			}
		}
		if time.Since(begin) > time.Minute {
			return 0, 0, errors.New("stoa is not ready after a minute")
		}
	}
	took = time.Since(begin)
	time.Sleep(more)
	return took, measure.CPUOf(cmd.Process.Pid), nil
}

// fill installs the packages, creates the instances, and returns how long the first and
// the last page of the instances take.
func fill(ctx context.Context, o options, env []string) (first, last time.Duration, err error) {
	stoa, err := measure.StartStoa(ctx, o.stoa, env, "--ops-addr="+o.ops)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, stoa.Stop()) }()
	token, err := signIn(ctx, stoa.Addr)
	if err != nil {
		return 0, 0, err
	}
	api := api{"http://" + stoa.Addr, token}
	err = inParallel(ctx, o.packages, func(ctx context.Context, i int) error {
		small, err := small(i)
		if err != nil {
			return err
		}
		return api.do(ctx, http.MethodPost, "/api/v1/admin/extensions/plugin/install", bytes.NewReader(small),
			int64(len(small)))
	})
	if err != nil {
		return 0, 0, err
	}
	const list = "/api/v1/admin/plugins/p0/instances"
	err = inParallel(ctx, o.instances, func(ctx context.Context, i int) error {
		body := fmt.Sprintf(`{"instanceKey":"i%d","config":{"name":"Shop %d"}}`, i, i)
		return api.do(ctx, http.MethodPost, list, strings.NewReader(body), int64(len(body)))
	})
	if err != nil {
		return 0, 0, err
	}
	page := func(n int) (time.Duration, error) {
		var all []time.Duration
		for range 21 {
			begin := time.Now()
			if err := api.do(ctx, http.MethodGet, fmt.Sprintf("%s?limit=100&page=%d", list, n), nil, 0); err != nil {
				return 0, err
			}
			all = append(all, time.Since(begin))
		}
		return median(all), nil
	}
	if first, err = page(1); err != nil {
		return 0, 0, err
	}
	last, err = page(o.instances / 100)
	return first, last, err
}

// inParallel calls fn for each number below n.
func inParallel(ctx context.Context, n int, fn func(ctx context.Context, i int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i := range n {
		group.Go(func() error { return fn(ctx, i) })
	}
	return group.Wait()
}

// small returns a package with a few files.
func small(n int) ([]byte, error) {
	files := map[string]string{"manifest.json": fmt.Sprintf(`{"schemaVersion":1,"slug":"p%d","name":"Package %d",`+
		`"version":"1.0.0","runtimeType":"external-http","externalBaseUrl":"https://plugin.example"}`, n, n)}
	for i := range 20 {
		files[fmt.Sprintf("lib/f%d.js", i+1)] = strings.Repeat(fmt.Sprintf("export const v%d = %d\n", i+1, n), 100)
	}
	return measure.Pack(files)
}
