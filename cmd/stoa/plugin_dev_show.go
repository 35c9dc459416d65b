package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"stoa/internal/base/errs"
	"stoa/internal/extension/plugin"
)

// console prints for the author, one event at a time.
type console struct {
	mu  sync.Mutex
	out io.Writer
}

func (c *console) printf(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fmt.Fprintf(c.out, time.Now().Format("15:04:05.000 ")+format+"\n", args...)
}

func position(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line == 0:
		return file + ": "
	}
	return fmt.Sprintf("%s:%d: ", file, line)
}

// describe returns what an error says, with every violation of a manifest or config.
func describe(err error) string {
	text := err.Error()
	if e, ok := errors.AsType[*errs.Error](err); ok {
		text = e.Message
		issues, _ := e.Details["issues"].([]errs.Issue)
		for _, is := range issues {
			text += "\n  " + is.Path + ": " + is.Message
		}
	}
	return text
}

// follow prints the log of the default instance from now on.
func (d *devLoop) follow(ctx context.Context, slug string) {
	in, err := d.app.Plugins.ByKey(ctx, slug, plugin.DefaultInstance)
	if err != nil {
		return // Add has just made it
	}
	ctx, d.stopFollow = context.WithCancel(ctx)
	processes, copies := d.app.Plugins.Processes, filepath.Join(d.data, "plugins", slug, "dev-")
	go func() {
		for after := int64(0); ; {
			entries, more := processes.Logs(in.Instance.ID, after)
			for _, e := range entries {
				after = e.Number
				d.print(e, copies)
			}
			select {
			case <-more:
			case <-ctx.Done():
				return
			}
		}
	}()
}

func (d *devLoop) print(e plugin.LogEntry, copies string) {
	if e.Source == "stoa" {
		return // what becomes of a start is printed by load
	}
	text := e.Message
	if e.Error != "" {
		text += "\n" + e.Error
	}
	d.console.printf("%-5s %s%s", e.Level, position(e.File, e.Line), d.inSource(text, copies))
}

// inSource names the files of the folder instead of those of its copies.
func (d *devLoop) inSource(text, copies string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, copies)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteString(d.folder)
		text = strings.TrimLeft(rest, "0123456789")
	}
}

// ServeHTTP passes requests on to the stoa, and prints those of the plugin.
func (d *devLoop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := d.handler.Load()
	if h == nil {
		http.Error(w, "The plugin is not loaded yet.", http.StatusServiceUnavailable)
		return
	}
	start, seen := time.Now(), &statusWriter{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		d.console.printf("%d %s %s %s", seen.status, r.Method, r.URL.RequestURI(),
			time.Since(start).Round(100*time.Microsecond))
	}()
	(*h).ServeHTTP(seen, r)
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter

	status int
}

// WriteHeader implements http.ResponseWriter.
func (s *statusWriter) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (s *statusWriter) Unwrap() http.ResponseWriter { return s.ResponseWriter }
