package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stoa/internal/data/database"
	"stoa/internal/store"
	"stoa/internal/testkit/dbtest"
	"stoa/internal/testkit/logtest"
	"stoa/internal/testkit/pgtest"
	"stoa/internal/testkit/waittest"
	"stoa/internal/trust/audit"
	"stoa/internal/trust/audit/export"
)

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// record appends n entries.
func record(t *testing.T, db *database.DB, n int) {
	t.Helper()
	log := store.NewAudit(db)
	for i := range n {
		e := audit.New(t.Context(), time.Now(), audit.PluginInstall, audit.Target{Type: "plugin", ID: fmt.Sprint(i)}, nil)
		if err := log.Record(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
}

// cursors returns the cursors of lines, which must be whole.
func cursors(t *testing.T, lines []byte) (list []int64) {
	t.Helper()
	for line := range strings.Lines(string(lines)) {
		var e struct {
			Cursor int64  `json:"cursor"`
			ID     string `json:"id"`
			Action string `json:"action"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.ID == "" || e.Action == "" {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, e.Cursor)
	}
	return list
}

// An export has every entry once, in the order of recording, and can be continued.
func TestAnExportCanBeContinued(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		db := dbtest.Open(t, url)
		log := store.NewAuditExport(db)
		record(t, db, 1203)
		var first, second bytes.Buffer
		cursor, n, err := export.Write(t.Context(), log, export.Selection{}, &first)
		if err != nil || n != 1203 {
			t.Fatal(n, err)
		}
		record(t, db, 2)
		if _, n, err = export.Write(t.Context(), log, export.Selection{After: cursor}, &second); err != nil || n != 2 {
			t.Fatal(n, err)
		}
		all, last := cursors(t, append(first.Bytes(), second.Bytes()...)), int64(0)
		for _, c := range all {
			if c <= last {
				t.Fatalf("%d follows %d", c, last)
			}
			last = c
		}
		if len(all) != 1205 {
			t.Errorf("%d entries, want 1205", len(all))
		}
		var none bytes.Buffer
		past := export.Selection{To: time.Now().Add(-time.Hour)}
		if _, n, err := export.Write(t.Context(), log, past, &none); err != nil || n != 0 {
			t.Errorf("before the first entry: %d, %v", n, err)
		}
	})
}

// An entry that commits after one with a higher number is exported, too: on PostgreSQL the
// order of numbers is not that of commits.
func TestAnExportWaitsForEntriesThatCommitLate(t *testing.T) {
	t.Parallel()
	db := dbtest.Open(t, dbtest.Postgres(t))
	log := store.NewAuditExport(db)
	insert := func(q database.Querier, id string) {
		_, err := q.ExecContext(t.Context(), `
			INSERT INTO audit_log (id, at_ms, actor_kind, actor_id, actor_name, action, target_type, target_id,
				address, request_id, details_json)
			VALUES ($1, 1, 'system', '', '', 'x.y', '', '', '', '', '{}')`, id)
		if err != nil {
			t.Error(err)
		}
	}
	inserted, commit := make(chan struct{}), make(chan struct{})
	var late sync.WaitGroup
	late.Go(func() {
		err := db.Conn().InTx(t.Context(), func(tx database.Conn) error {
			insert(tx.Write, "late")
			close(inserted)
			<-commit
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inserted
	insert(db.Conn().Write, "early")
	type result struct {
		lines []byte
		err   error
	}
	done := make(chan result, 1)
	go func() {
		var out bytes.Buffer
		_, _, err := export.Write(t.Context(), log, export.Selection{}, &out)
		done <- result{out.Bytes(), err}
	}()
	select {
	case r := <-done:
		t.Errorf("the export did not wait: %s", r.lines)
	case <-time.After(500 * time.Millisecond):
	}
	insert(db.Conn().Write, "meanwhile") // writers do not wait for the export
	close(commit)
	late.Wait()
	r := <-done
	if list := cursors(t, r.lines); r.err != nil || len(list) < 2 || !bytes.Contains(r.lines, []byte(`"late"`)) {
		t.Errorf("%s, %v", r.lines, r.err)
	}
}

// flaky accepts every other batch, and records them and whether two came at once.
type flaky struct {
	mu       sync.Mutex
	calls    int
	busy     bool
	overlaps bool
	taken    bytes.Buffer
}

func (f *flaky) Take(_ context.Context, lines []byte) error {
	f.mu.Lock()
	f.overlaps = f.overlaps || f.busy
	f.busy = true
	f.calls++
	odd := f.calls%2 == 1
	f.mu.Unlock()
	time.Sleep(time.Millisecond)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy = false
	if odd {
		return errors.New("not now")
	}
	f.taken.Write(lines)
	return nil
}

func (f *flaky) lines() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return bytes.Clone(f.taken.Bytes())
}

// One of several processes sends. Each entry arrives, in order, although the destination fails
// again and again, and the lag is known.
func TestTheStreamSendsEachEntryInOrder(t *testing.T) {
	t.Parallel()

	dbtest.OnBoth(t, func(t *testing.T, url string) {
		db, to := dbtest.Open(t, url), new(flaky)
		record(t, db, 700)
		log := store.NewAuditExport(db)
		if lag, err := log.Lag(t.Context(), export.StreamName); err != nil || lag.Entries != 700 || lag.Oldest.IsZero() {
			t.Errorf("before: %+v, %v", lag, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 3 {
			each := store.NewAuditExport(db)
			s := &export.Stream{Log: each, Cursors: each, To: to, Logger: logtest.New(t)}
			all.Go(func() { s.Run(ctx) })
		}
		waittest.Until(t, "all to be exported", func() error {
			lag, err := log.Lag(t.Context(), export.StreamName)
			if err == nil && (lag.Entries != 0 || lag.Failures != 0 || !lag.Oldest.IsZero()) {
				err = fmt.Errorf("%+v", lag)
			}
			return err
		})
		stop()
		all.Wait()
		list, last := cursors(t, to.lines()), int64(0)
		for _, c := range list {
			if c <= last {
				t.Fatalf("%d follows %d", c, last)
			}
			last = c
		}
		if len(list) != 700 || to.overlaps {
			t.Errorf("%d entries arrived, want 700; at the same time: %t", len(list), to.overlaps)
		}
		if _, ours, err := log.Lease(t.Context(), export.StreamName, "next", time.Minute); err != nil || !ours {
			t.Errorf("a process that stopped still has the stream: %v", err)
		}
		if ok, err := log.Sent(t.Context(), export.StreamName, "another", 1); err != nil || ok {
			t.Errorf("a process without the lease moved the cursor: %v", err)
		}
	})
}

// A file has only whole lines, even after a process was killed while it wrote one.
func TestAFileHasWholeLines(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	to, err := export.Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range []string{"1\n2\n", "3\n"} {
		if err := to.Take(t.Context(), []byte(lines)); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(`{"torn`)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	if err := to.Take(t.Context(), []byte("4\n")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != "1\n2\n3\n4\n" {
		t.Errorf("%q, %v", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
}

// The token is sent to the configured address only, and errors contain no secrets.
func TestAnAddressGetsTheToken(t *testing.T) {
	t.Parallel()
	got := make(chan string, 4)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got <- r.Header.Get("Authorization") + " " + r.Header.Get("Content-Type")
		if r.URL.Path != "/taken" {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}
	}))
	defer srv.Close()
	for path, taken := range map[string]bool{"/taken": true, "/moved?key=sesame": false} {
		to, err := export.Open(srv.URL+path, "t0ken")
		if err != nil {
			t.Fatal(err)
		}
		err = to.Take(t.Context(), []byte("{}\n"))
		if (err == nil) != taken || err != nil && strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", path, err)
		}
		if h := <-got; h != "Bearer t0ken application/x-ndjson" {
			t.Errorf("%s got %q", path, h)
		}
	}
	if len(got) > 0 {
		t.Error("a redirect was followed")
	}
	for _, bad := range []string{"http://collector.example/x", "https://u:p@h/x", "ftp://h/x", "https://"} {
		if _, err := export.Open(bad, ""); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
