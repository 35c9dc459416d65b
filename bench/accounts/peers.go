package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"time"

	"golang.org/x/crypto/argon2"
	_ "modernc.org/sqlite" // the driver stoa uses

	"stoa/bench/measure"
	argon "stoa/internal/account/password"
)

// writers is how many connections refresh, and how many writers commit.
const writers = 32

// rows is what is measured.
func (b *bench) rows() []measure.Row {
	stoa, static, self := b.stoa.PID(), b.static.PID(), os.Getpid()
	return []measure.Row{
		{
			Name:   "login",
			Peer:   "argon2id with the same parameters on all processors, nothing else",
			Target: 0.95,
			PIDs:   [2]int{stoa, self},
			Ours:   b.login,
			Theirs: hash,
		},
		{
			Name: "me", Peer: "net/http handler that writes as many constant bytes", Target: 0.45, PIDs: [2]int{stoa, static},
			Ours: func(ctx context.Context, d time.Duration) (int, error) {
				return measure.Load(ctx, b.stoa.Addr, 32, d,
					func(_ int, c *measure.Client) error { return discard(c.Do("GET", "/auth/me", b.access, nil)) })
			},
			Theirs: func(ctx context.Context, d time.Duration) (int, error) {
				return measure.Load(ctx, b.static.Addr, 32, d,
					func(_ int, c *measure.Client) error { return discard(c.Do("GET", "/auth/me", b.access, nil)) })
			},
		},
		{
			Name: "refresh", Peer: "one-row updates in SQLite with the same settings, as many writers, no HTTP", Target: 0.5,
			PIDs: [2]int{stoa, self}, Ours: b.refreshes,
			Theirs: func(ctx context.Context, d time.Duration) (int, error) { return b.sqlite.updates(ctx, d) },
		},
	}
}

func discard(_ []byte, err error) error { return err }

// login signs in again and again.
func (b *bench) login(ctx context.Context, d time.Duration) (int, error) {
	body := fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password)
	return measure.Load(ctx, b.stoa.Addr, 4*runtime.NumCPU(), d, func(_ int, c *measure.Client) error {
		return discard(c.Do("POST", "/auth/login", "", body))
	})
}

// refreshes has each worker take the session that was left alone for longest: a
// session may be refreshed only so often.
func (b *bench) refreshes(ctx context.Context, d time.Duration) (int, error) {
	return measure.Load(ctx, b.stoa.Addr, writers, d, func(_ int, c *measure.Client) error {
		answer, err := c.Do("POST", "/auth/refresh", "", []byte(`{"refresh_token":"`+<-b.refresh+`"}`))
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
	return measure.Repeat(ctx, runtime.NumCPU(), d, func(int) (func() error, func(), error) {
		return func() error {
			argon2.IDKey([]byte(password), salt, p.Time, p.MemoryKiB, p.Threads, uint32(p.KeyLen)) //nolint:gosec // 32
			return nil
		}, func() {}, nil
	})
}

// sqlite is a database with the settings of internal/data/database.
type sqlite struct {
	*sql.DB

	update *sql.Stmt
}

const sqliteRows = 1000

// openSQLite makes the database. One connection, as stoa writes with: writers
// that wait in Go, in order, commit more than ones that poll the file's lock.
func openSQLite(ctx context.Context, path string) (*sqlite, error) {
	q := url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "foreign_keys(ON)", "synchronous(FULL)"},
	}
	db, err := sql.Open("sqlite", "file:"+path+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	s := &sqlite{DB: db}
	if _, err := db.ExecContext(ctx,
		`CREATE TABLE counters (id INTEGER PRIMARY KEY, n INTEGER NOT NULL) STRICT`); err != nil {
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
	return measure.Repeat(ctx, writers, d, func(worker int) (func() error, func(), error) {
		row := worker
		return func() error {
			row = (row + writers) % sqliteRows
			_, err := s.update.ExecContext(ctx, row)
			return err
		}, func() {}, nil
	})
}
