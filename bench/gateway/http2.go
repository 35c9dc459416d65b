package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// streams is how many calls a connection of HTTP/2 carries at a time.
const streams = 8

// loadHTTP2 has h2load call a side over HTTP/2 without TLS, n calls at a time.
func loadHTTP2(ctx context.Context, s *side, n int, d time.Duration, dir string) (sample, error) {
	// h2load takes whole seconds.
	seconds := max(1, int(d.Round(time.Second)/time.Second))
	file := filepath.Join(dir, "h2load.log")
	before := s.used()
	args := []string{
		"-t1", "-c" + strconv.Itoa(max(1, n/streams)), "-m" + strconv.Itoa(streams), "-D" + strconv.Itoa(seconds),
		"--log-file=" + file, s.url,
	}
	out, err := exec.CommandContext(ctx, "h2load", args...).CombinedOutput() //nolint:gosec // our own words
	all, own := s.used().since(before)
	if err != nil {
		return sample{}, fmt.Errorf("h2load: %w\n%s", err, out)
	}
	took, failed, err := readH2Log(file)
	if err != nil {
		return sample{}, fmt.Errorf("%w:\n%s", err, out)
	}
	done := float64(len(took))
	got := sample{rate: done / float64(seconds), cpu: all / done, own: own / done, failed: failed}
	got.time(took)
	return got, nil
}

// readH2Log reads how long calls took and how many failed, from a file that it removes: a line for each
// call, with when it began, its status, -1 without one, and microseconds.
func readH2Log(name string) (took []time.Duration, failed float64, err error) {
	file, err := os.Open(name) //nolint:gosec // in our own folder
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(name)) }()
	in := bufio.NewScanner(file)
	for in.Scan() {
		fields := strings.Fields(in.Text())
		if len(fields) < 3 {
			return nil, 0, fmt.Errorf("h2load wrote %q", in.Text())
		}
		us, err := strconv.Atoi(fields[2])
		if err != nil {
			return nil, 0, fmt.Errorf("h2load wrote %q", in.Text())
		}
		if !strings.HasPrefix(fields[1], "2") {
			failed++
			continue
		}
		took = append(took, time.Duration(us)*time.Microsecond)
	}
	if err := in.Err(); err != nil {
		return nil, 0, err
	}
	if len(took) == 0 {
		return nil, 0, errors.New("no call succeeded")
	}
	return took, failed, nil
}
