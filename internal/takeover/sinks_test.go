package takeover_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"stoa/internal/app"
	"stoa/internal/data/database"
	"stoa/internal/keep/backup"
	"stoa/internal/testkit"
	"stoa/internal/testkit/waittest"
	"stoa/internal/trust/seal"
)

// collector is where OpenTelemetry sends to. It keeps the bytes: texts are in them as they are.
type collector struct {
	mu      sync.Mutex
	bodies  map[string]*strings.Builder // by path
	metrics int                         // how often they came
}

const (
	traces  = "/v1/traces"
	metrics = "/v1/metrics"
)

// collecting starts a collector, and points the environment at it.
func collecting(t *testing.T) *collector {
	t.Helper()
	c := &collector{bodies: map[string]*strings.Builder{traces: {}, metrics: {}}}
	srv := httptest.NewServer(c)
	t.Cleanup(srv.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", srv.URL)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "50")
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "200000") // nothing is dropped
	t.Setenv("OTEL_METRIC_EXPORT_INTERVAL", "200")
	return c
}

// ServeHTTP implements http.Handler.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		body = unpacked
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := c.bodies[r.URL.Path]; b != nil {
		b.Write(raw)
	}
	if r.URL.Path == metrics {
		c.metrics++
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// after sends one request more, waits for its spans and the metrics after it, and returns all that came.
func (c *collector) after(t *testing.T, w *world) (spans, measured string) {
	t.Helper()
	const last = "0af7651916cd43dd8448eb211c80319c"
	id, err := hex.DecodeString(last)
	if err != nil {
		t.Fatal(err)
	}
	w.Do(t, testkit.Request{
		Method: http.MethodGet, Path: "/auth/account", Header: http.Header{"Traceparent": {"00-" + last + "-b7ad6b7169203331-01"}},
	})
	c.mu.Lock()
	seen := c.metrics
	c.mu.Unlock()
	waittest.Until(t, "traces and metrics", func() error {
		c.mu.Lock()
		defer c.mu.Unlock()
		spans, measured = c.bodies[traces].String(), c.bodies[metrics].String()
		if !strings.Contains(spans, string(id)) || c.metrics < seen+2 {
			return fmt.Errorf("%d bytes of traces, metrics %d times", len(spans), c.metrics)
		}
		return nil
	})
	return spans, measured
}

// operated returns what the port of operators shows.
func (w *world) operated(t *testing.T) string {
	t.Helper()
	all := httptest.NewRecorder()
	for _, path := range []string{"/metrics", "/debug/pprof/", "/debug/pprof/goroutine?debug=2", "/debug/pprof/cmdline"} {
		w.OpsHandler().ServeHTTP(all, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1"+path, nil))
	}
	return all.Body.String()
}

// backedUp returns a backup with all that is in it, and one that is sealed.
func (w *world) backedUp(t *testing.T) map[string]string {
	t.Helper()
	key, err := seal.ParseKey(testkit.MasterKey)
	if err != nil {
		t.Fatal(err)
	}
	from := backup.Source{
		DB: w.DB, DataDir: w.DataDir, Folders: app.DataFolders(), MasterKeys: seal.NewKeys(key), Version: "1.2.3", Now: time.Now,
	}
	take := func(lock backup.Lock) []byte {
		t.Helper()
		var archive bytes.Buffer
		if _, err := from.Take(t.Context(), &archive, lock); err != nil {
			t.Fatal(err)
		}
		return archive.Bytes()
	}
	packed, err := zstd.NewReader(bytes.NewReader(take(backup.Lock{})))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	var all strings.Builder
	for entries := tar.NewReader(packed); ; {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&all, h.Name)
		if _, err := io.Copy(&all, entries); err != nil {
			t.Fatal(err)
		}
	}
	return map[string]string{
		"a backup":        all.String(),
		"a sealed backup": string(take(backup.Lock{Passphrase: "a passphrase of operators"})),
	}
}

// stored returns all tables and files, as they are.
func (w *world) stored(t *testing.T) map[string]string {
	t.Helper()
	all, read := map[string]string{}, w.DB.Conn().Read
	text := func(row database.Scanner) (s string, err error) { err = row.Scan(&s); return s, err }
	names := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if _, err := database.All(t.Context(), read, text, names); err != nil {
		names = `SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`
	}
	tables, err := database.All(t.Context(), read, text, names)
	if err != nil || len(tables) < 40 {
		t.Fatalf("%d tables, %v", len(tables), err)
	}
	for _, table := range tables {
		all["the table "+table] = rowsOf(t, read, table)
	}
	err = filepath.WalkDir(w.DataDir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			raw, err := os.ReadFile(path)
			all["the file "+d.Name()] = string(raw)
			return err
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// rowsOf returns all values in a table, each on a line.
func rowsOf(t *testing.T, read database.Querier, table string) string {
	t.Helper()
	rows, err := read.QueryContext(t.Context(), `SELECT * FROM "`+table+`"`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, _ := rows.Columns()
	var b strings.Builder
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		for _, v := range values {
			if raw, ok := v.([]byte); ok {
				v = string(raw)
			}
			fmt.Fprintln(&b, v)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
