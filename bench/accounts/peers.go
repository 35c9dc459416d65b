package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"
	_ "modernc.org/sqlite" // the driver stoa uses

	argon "stoa/internal/account/password"
)

// writers is how many connections refresh, and how many writers commit.
const writers = 32

// rows is what is measured.
func (b *bench) rows() []row {
	stoa, static, self := b.stoa.cmd.Process.Pid, b.static.cmd.Process.Pid, os.Getpid()
	return []row{
		{name: "login", peer: "argon2id with the same parameters on all processors, nothing else", target: 0.85, pids: [2]int{stoa, self}, ours: b.login, theirs: hash},
		{
			name: "me", peer: "net/http handler that writes as many constant bytes", target: 0.35, pids: [2]int{stoa, static},
			ours: func(ctx context.Context, d time.Duration) (int, error) {
				return load(ctx, b.stoa.addr, 32, d, func(_ int, c *client) error { return discard(c.do("GET", "/auth/me", b.access, nil)) })
			},
			theirs: func(ctx context.Context, d time.Duration) (int, error) {
				return load(ctx, b.static.addr, 32, d, func(_ int, c *client) error { return discard(c.do("GET", "/auth/me", b.access, nil)) })
			},
		},
		{
			name: "refresh", peer: "one-row updates in SQLite with the same settings, as many writers, no HTTP", target: 0.5, pids: [2]int{stoa, self}, ours: b.refreshes,
			theirs: func(ctx context.Context, d time.Duration) (int, error) { return b.sqlite.updates(ctx, d) },
		},
	}
}

func discard(_ []byte, err error) error { return err }

// login signs in again and again.
func (b *bench) login(ctx context.Context, d time.Duration) (int, error) {
	body := fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password)
	return load(ctx, b.stoa.addr, 4*runtime.NumCPU(), d, func(_ int, c *client) error {
		return discard(c.do("POST", "/auth/login", "", body))
	})
}

// refreshes has each worker take the session that was left alone for longest: a
// session may be refreshed only so often.
func (b *bench) refreshes(ctx context.Context, d time.Duration) (int, error) {
	return load(ctx, b.stoa.addr, writers, d, func(_ int, c *client) error {
		answer, err := c.do("POST", "/auth/refresh", "", []byte(`{"refresh_token":"`+<-b.refresh+`"}`))
		if err != nil {
			return err
		}
		return b.keep(answer)
	})
}

var refreshName = []byte(`"refresh_token":"`)

func (b *bench) keep(answer []byte) error {
	_, rest, ok := bytes.Cut(answer, refreshName)
	token, _, _ := bytes.Cut(rest, []byte{'"'})
	if !ok {
		return fmt.Errorf("no refresh token in %.80s", answer)
	}
	b.refresh <- string(token)
	return nil
}

// hash is the ceiling of logins: nothing but hashing.
func hash(ctx context.Context, d time.Duration) (int, error) {
	p, salt := argon.Default, []byte(rand.Text())[:argon.Default.SaltLen]
	return repeat(ctx, runtime.NumCPU(), d, func(int) (func() error, func(), error) {
		return func() error {
			argon2.IDKey([]byte(password), salt, p.Time, p.MemoryKiB, p.Threads, uint32(p.KeyLen)) //nolint:gosec // 32
			return nil
		}, func() {}, nil
	})
}

// serveStatic answers every request with size bytes.
func serveStatic(ctx context.Context, size int) error {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	body := []byte(strings.Repeat("x", size))
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(body)
	})}
	fmt.Fprintln(os.Stderr, "listening on", ln.Addr())
	go func() { <-ctx.Done(); _ = srv.Close() }()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// sqlite is a database with the settings of internal/store.
type sqlite struct {
	*sql.DB

	update *sql.Stmt
}

const sqliteRows = 1000

// openSQLite makes the database. One connection, as stoa writes with: writers
// that wait in Go, in order, commit more than ones that poll the file's lock.
func openSQLite(ctx context.Context, path string) (*sqlite, error) {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "foreign_keys(ON)", "synchronous(FULL)"}}
	db, err := sql.Open("sqlite", "file:"+path+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := &sqlite{DB: db}
	if _, err := db.ExecContext(ctx, `CREATE TABLE counters (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT`); err != nil {
		return s, err
	}
	for i := range sqliteRows {
		if _, err := db.ExecContext(ctx, `INSERT INTO counters VALUES ($1, 0)`, i); err != nil {
			return s, err
		}
	}
	s.update, err = db.PrepareContext(ctx, `UPDATE counters SET n = n + 1 WHERE id = $1`)
	return s, err
}

// updates commits one-row updates, each durable on its own.
func (s *sqlite) updates(ctx context.Context, d time.Duration) (int, error) {
	return repeat(ctx, writers, d, func(worker int) (func() error, func(), error) {
		row := worker
		return func() error {
			row = (row + writers) % sqliteRows
			_, err := s.update.ExecContext(ctx, row)
			return err
		}, func() {}, nil
	})
}
